//! Custom forces: forces and moments at two places, with their stiffness and damping.

use super::{Spring, SpringEnd, SpringEndPlace};
use crate::constraint::MAX_MEMORY;
use crate::describe::parameters::Parameters;
use crate::error::BuildError;
use crate::geometry::rotation::outer;
use crate::object::{EndFrame, Poses, Site};
use glam::{DMat3, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// Unknowns of both ends of a force: (x_A, φ_A, x_B, φ_B).
pub const FORCE_SCALARS: usize = 12;

/// One end of a force: its site, and its motion.
#[derive(Clone, Copy, Debug)]
pub struct ForceEnd {
    /// Its place in the present state. Its frame is that of the world unless the force turns.
    pub site: Site,
    /// Velocity, m/s; zero in statics.
    pub velocity: DVec3,
    /// Angular velocity, rad/s; zero in statics, and unless the force turns.
    pub spin: DVec3,
}

/// A custom force, between two places or a place and a point of the world. Results of all methods must depend
/// only on their arguments; methods must not allocate.
pub trait CustomForce: fmt::Debug + Send + Sync {
    /// Whether it exerts moments or reads frames. Then both ends on objects must have a frame.
    fn turns(&self) -> bool {
        false
    }

    /// Checks the initial places, and sets its memory from them. The memory is zero at first.
    ///
    /// # Errors
    /// The field that can't be used.
    fn begin(&self, _ends: &[ForceEnd; 2], _memory: &mut [f64; MAX_MEMORY]) -> Result<(), BuildError> {
        Ok(())
    }

    /// Writes forces, stiffness, damping and energy into `out`, which is zero at first. Implicit steps need
    /// the stiffness for stability. Unless `exact`, it must be positive semidefinite: leave out negative
    /// parts.
    fn act(
        &self,
        ends: &[ForceEnd; 2],
        memory: &[f64; MAX_MEMORY],
        time: f64,
        exact: bool,
        out: &mut ForceAction,
    );

    /// Updates its memory at the end of a dynamic step.
    fn remember(&self, _ends: &[ForceEnd; 2], _memory: &mut [f64; MAX_MEMORY], _time: f64) {}

    /// Whether it changes in time.
    fn moves(&self) -> bool {
        false
    }
}

/// Forces on both ends, and their derivatives.
#[derive(Clone, Copy, Debug)]
pub struct ForceAction {
    /// Force on each end, N.
    pub force: [DVec3; 2],
    /// Moment on each end, N·m; used only if the force turns.
    pub moment: [DVec3; 2],
    /// −∂f/∂q, symmetric, f = (force_A, moment_A, force_B, moment_B), q = (x_A, φ_A, x_B, φ_B).
    pub stiffness: [[f64; FORCE_SCALARS]; FORCE_SCALARS],
    /// −∂f/∂q̇, symmetric.
    pub damping: [[f64; FORCE_SCALARS]; FORCE_SCALARS],
    /// Stored energy, J.
    pub energy: f64,
}

impl Default for ForceAction {
    fn default() -> Self {
        Self {
            force: [DVec3::ZERO; 2],
            moment: [DVec3::ZERO; 2],
            stiffness: [[0.0; FORCE_SCALARS]; FORCE_SCALARS],
            damping: [[0.0; FORCE_SCALARS]; FORCE_SCALARS],
            energy: 0.0,
        }
    }
}

impl ForceAction {
    /// Adds a force `f` on the first end and its opposite on the second, with stiffness `k` and damping `c`
    /// against their relative displacement.
    pub fn add_relative(&mut self, f: DVec3, k: DMat3, c: DMat3) {
        self.force[0] += f;
        self.force[1] -= f;
        for (to, part) in [(&mut self.stiffness, k), (&mut self.damping, c)] {
            for a in 0..3 {
                for b in 0..3 {
                    let entry = part.col(b)[a];
                    to[a][b] += entry;
                    to[6 + a][6 + b] += entry;
                    to[a][6 + b] -= entry;
                    to[6 + a][b] -= entry;
                }
            }
        }
    }

    /// Adds a pull of `pull` N along the line between the ends. `slope` is its derivative by their distance
    /// d, N/m, and `damping` its derivative by the rate of d, N·s/m. `pull` includes the force of the
    /// damping. With n from the first end to the second: `f = pull n`, `k = slope n nᵀ + pull/d (1 − n nᵀ)`.
    pub fn add_central(&mut self, [a, b]: &[ForceEnd; 2], pull: f64, slope: f64, damping: f64, exact: bool) {
        let away = b.site.x - a.site.x;
        let Some(n) = away.try_normalize() else { return };
        let kept = |value: f64| if exact { value } else { value.max(0.0) };
        let (along, across) = (kept(slope), kept(pull / away.length()));
        let nn = outer(n, n);
        self.add_relative(
            n * pull,
            nn * (along - across) + DMat3::from_diagonal(DVec3::splat(across)),
            nn * damping,
        );
    }
}

/// A custom force, by the name of its kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CustomSpring {
    /// Its kind: the name under which the program registered it.
    pub kind: String,
    /// First end.
    pub from: SpringEnd,
    /// Second end.
    pub to: SpringEnd,
    /// Its parameters.
    #[serde(default, skip_serializing_if = "Parameters::is_empty")]
    pub parameters: Parameters,
}

/// A custom force, ready to be evaluated. While a snapshot is read, before `restore` sets its functions, it
/// exerts nothing.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SharedForce {
    #[serde(skip)]
    shared: Option<Arc<dyn CustomForce>>,
}

impl PartialEq for SharedForce {
    fn eq(&self, other: &Self) -> bool {
        match (&self.shared, &other.shared) {
            (Some(own), Some(other)) => Arc::ptr_eq(own, other),
            (own, other) => own.is_none() && other.is_none(),
        }
    }
}

impl SharedForce {
    pub(crate) fn new(force: Arc<dyn CustomForce>) -> Self {
        Self { shared: Some(force) }
    }

    pub(crate) fn turns(&self) -> bool {
        self.shared.as_ref().is_some_and(|force| force.turns())
    }

    pub(crate) fn moves(&self) -> bool {
        self.shared.as_ref().is_some_and(|force| force.moves())
    }

    /// Its initial memory.
    pub(crate) fn begin(&self, ends: &[ForceEnd; 2]) -> Result<[f64; MAX_MEMORY], BuildError> {
        let mut memory = [0.0; MAX_MEMORY];
        if let Some(force) = &self.shared {
            force.begin(ends, &mut memory)?;
        }
        Ok(memory)
    }

    pub(crate) fn act(
        &self,
        ends: &[ForceEnd; 2],
        memory: &[f64; MAX_MEMORY],
        time: f64,
        exact: bool,
    ) -> ForceAction {
        let mut action = ForceAction::default();
        if let Some(force) = &self.shared {
            force.act(ends, memory, time, exact, &mut action);
        }
        action
    }

    pub(crate) fn remember(&self, ends: &[ForceEnd; 2], memory: &mut [f64; MAX_MEMORY], time: f64) {
        if let Some(force) = &self.shared {
            force.remember(ends, memory, time);
        }
    }
}

/// State of a spring from step to step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpringState {
    /// Reference frames at its ends.
    pub frames: [EndFrame; 2],
    /// Memory of a custom force.
    pub memory: [f64; MAX_MEMORY],
}

impl Spring {
    /// Its ends for a custom force; `v` has the velocities of all unknowns, and is empty in statics.
    pub(crate) fn force_ends(
        ends: &[SpringEndPlace; 2],
        turns: bool,
        poses: Poses<'_>,
        v: &[f64],
        frames: &[EndFrame; 2],
        time: f64,
    ) -> [ForceEnd; 2] {
        [0, 1].map(|e| {
            let end = &ends[e];
            let velocity = if v.is_empty() { DVec3::ZERO } else { end.velocity(poses, v, time) };
            let Some(place) = end.place() else {
                let site = Site { x: end.position(poses, time), ..Site::WORLD };
                return ForceEnd { site, velocity, spin: DVec3::ZERO };
            };
            let site = if turns { poses.site(place, &frames[e]) } else { poses.site_without_frame(place) };
            let turning = turns && !v.is_empty();
            let spin = if turning { place.spin(place.slice(poses.objects, v), &site) } else { DVec3::ZERO };
            ForceEnd { site, velocity, spin }
        })
    }
}
