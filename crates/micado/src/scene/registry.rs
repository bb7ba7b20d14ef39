//! Registry: the kinds of laws, constraints and forces that a program adds, by name.

use crate::constraint::CustomConstraint;
use crate::constraint::MAX_ROWS;
use crate::describe::parameters::Parameters;
use crate::error::BuildError;
use crate::law::{CustomLaw, MAX_BLOCK};
use crate::load::CustomForce;
use indexmap::IndexMap;
use std::fmt;
use std::sync::Arc;

/// Builds an item of a kind from its parameters, or refuses them.
type Factory<T> = Arc<dyn Fn(&Parameters) -> Result<Arc<T>, BuildError> + Send + Sync>;

/// Kinds of one trait, in the order of their registration.
struct Kinds<T: ?Sized>(IndexMap<String, Factory<T>>);

impl<T: ?Sized> Clone for Kinds<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: ?Sized> Default for Kinds<T> {
    fn default() -> Self {
        Self(IndexMap::new())
    }
}

impl<T: ?Sized> Kinds<T> {
    /// Builds an item of the registered kind.
    fn make(&self, what: &str, kind: &str, parameters: &Parameters) -> Result<Arc<T>, BuildError> {
        let factory = self.0.get(kind).ok_or_else(|| {
            let known: Vec<&str> = self.0.keys().map(String::as_str).collect();
            let remedy = if known.is_empty() {
                format!("this program has registered no {what}")
            } else {
                format!("there are: {}", known.join(", "))
            };
            BuildError::unknown_name("kind", what, kind, remedy)
        })?;
        factory(parameters).map_err(|e| e.within("parameters"))
    }

    /// Whether both hold the same factories.
    fn is(&self, other: &Self) -> bool {
        self.0.len() == other.0.len()
            && self.0.iter().all(|(name, own)| other.0.get(name).is_some_and(|of| Arc::ptr_eq(own, of)))
    }
}

/// Custom kinds of laws, constraints and forces, by name. A world keeps the registry with which it was built,
/// for edits and snapshots.
#[derive(Clone, Default)]
pub struct Registry {
    laws: Kinds<dyn CustomLaw>,
    constraints: Kinds<dyn CustomConstraint>,
    forces: Kinds<dyn CustomForce>,
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry")
            .field("laws", &self.laws.0.keys())
            .field("constraints", &self.constraints.0.keys())
            .field("forces", &self.forces.0.keys())
            .finish()
    }
}

impl PartialEq for Registry {
    fn eq(&self, other: &Self) -> bool {
        self.laws.is(&other.laws) && self.constraints.is(&other.constraints) && self.forces.is(&other.forces)
    }
}

impl Registry {
    /// An empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a kind of law; `make` builds a law from the parameters of a scene, or refuses them. It
    /// replaces a kind with the same name.
    #[must_use]
    pub fn law<L: CustomLaw + 'static>(
        mut self,
        kind: &str,
        make: impl Fn(&Parameters) -> Result<L, BuildError> + Send + Sync + 'static,
    ) -> Self {
        self.laws.0.insert(kind.to_owned(), Arc::new(move |given| Ok(Arc::new(make(given)?))));
        self
    }

    /// Registers a kind of constraint, see [`Registry::law`].
    #[must_use]
    pub fn constraint<C: CustomConstraint + 'static>(
        mut self,
        kind: &str,
        make: impl Fn(&Parameters) -> Result<C, BuildError> + Send + Sync + 'static,
    ) -> Self {
        self.constraints.0.insert(kind.to_owned(), Arc::new(move |given| Ok(Arc::new(make(given)?))));
        self
    }

    /// Registers a kind of force, see [`Registry::law`].
    #[must_use]
    pub fn force<F: CustomForce + 'static>(
        mut self,
        kind: &str,
        make: impl Fn(&Parameters) -> Result<F, BuildError> + Send + Sync + 'static,
    ) -> Self {
        self.forces.0.insert(kind.to_owned(), Arc::new(move |given| Ok(Arc::new(make(given)?))));
        self
    }

    pub(crate) fn make_law(
        &self,
        kind: &str,
        parameters: &Parameters,
    ) -> Result<Arc<dyn CustomLaw>, BuildError> {
        let law = self.laws.make("law", kind, parameters)?;
        if !(1..=MAX_BLOCK).contains(&law.rows()) || law.memory() > 3 * law.rows() {
            return Err(BuildError::new(
                "kind",
                format!("the law `{kind}` has {} rows and keeps {} numbers", law.rows(), law.memory()),
                format!("a law has 1 to {MAX_BLOCK} rows and keeps at most three numbers per row"),
            ));
        }
        Ok(law)
    }

    pub(crate) fn make_constraint(
        &self,
        kind: &str,
        parameters: &Parameters,
    ) -> Result<Arc<dyn CustomConstraint>, BuildError> {
        let constraint = self.constraints.make("constraint", kind, parameters)?;
        if constraint.rows() > MAX_ROWS {
            return Err(BuildError::new(
                "kind",
                format!("the constraint `{kind}` has {} rows", constraint.rows()),
                format!("a constraint has at most {MAX_ROWS} rows"),
            ));
        }
        Ok(constraint)
    }

    pub(crate) fn make_force(
        &self,
        kind: &str,
        parameters: &Parameters,
    ) -> Result<Arc<dyn CustomForce>, BuildError> {
        self.forces.make("force", kind, parameters)
    }
}
