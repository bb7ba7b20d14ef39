//! Scene files: TOML in, a [`Scene`] out, and errors that show the line, what is wrong and what to do.
//!
//! ```
//! let text = "
//! [rod.cable]
//! shape.line = { from = [0, 0, 0], to = [1, 0, 0] }
//! radius = \"5 mm\"
//! young = \"100 MPa\"
//! density = 1200
//! ";
//! let file = micado_io::scene::parse("cable.toml", text, &["rod.cable.radius=0.01".to_owned()])?;
//! assert_eq!(file.scene().rod["cable"].radius, Some(0.01));
//!
//! let error = micado_io::scene::parse("cable.toml", "[rod.cable]\nradus = 1\n", &[]).unwrap_err();
//! assert_eq!(error.line_and_column(), Some((2, 1)));
//! assert!(error.remedy().starts_with("did you mean `radius`?"));
//! # Ok::<(), micado_io::scene::SceneError>(())
//! ```

mod builtin;
mod error;
mod explain;
mod find;
mod overrides;
mod present;
mod remarks;
mod sense;
mod strict;
mod suggest;
mod tree;
mod trial;

pub use builtin::{BUILTIN, Builtin, builtin};
pub use error::SceneError;
pub use find::{open, read};
pub use present::{present, write};
pub use sense::probe as check_probe;
pub use trial::trial;

use crate::mesh::load_meshes;
use micado::error::{BuildError, BuildErrorKind};
use micado::scene::{Edit, FLOOR, Scene};
use std::ops::Range;
use toml::Spanned;
use toml::de::DeTable;

/// A scene with its source text, so that later errors can show it.
#[derive(Clone, Debug)]
pub struct SceneFile {
    name: String,
    text: String,
    overrides: Vec<String>,
    scene: Scene,
}

/// Reads a scene from `text`, which errors call `name`. Each override is a `path=value` that replaces a value
/// of the text.
///
/// # Errors
/// Syntax that is not TOML, an unknown field or word, a value of the wrong kind, an override that does not
/// fit, a name used for two things, or a probe that can't be a column.
pub fn parse(name: &str, text: &str, overrides: &[String]) -> Result<SceneFile, SceneError> {
    let sources = Sources { name, text, overrides };
    let tree = sources.tree()?;
    let scene = serde_path_to_error::deserialize(strict::Strict(toml::Deserializer::from(tree))).map_err(
        |error| {
            let path = dotted(error.path());
            let inner = error.into_inner();
            let explanation = explain::value_error(inner.message(), &path);
            let error = SceneError::new(path, explanation.problem, explanation.remedy);
            sources.place(error, inner.span().unwrap_or(0..0))
        },
    )?;
    let file =
        SceneFile { name: name.to_owned(), text: text.to_owned(), overrides: overrides.to_vec(), scene };
    sense::check(&file.scene).map_err(|error| file.explain(&error))?;
    Ok(file)
}

/// JSON Schema of scene files, for editors.
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(Scene)
}

impl SceneFile {
    /// Reads the mesh files of bodies and scenery, which are relative to `folder`.
    ///
    /// # Errors
    /// A file that can't be read or is no mesh.
    fn load_meshes(&mut self, folder: &std::path::Path) -> Result<(), SceneError> {
        let mut refused = None;
        let bodies = self.scene.body.iter_mut();
        let bodies = bodies.map(|(name, body)| (format!("body.{name}.shape"), body.shape.as_mut()));
        let scenery = self.scene.scenery.iter_mut();
        let scenery = scenery.map(|(name, of)| (format!("scenery.{name}.shape"), Some(&mut of.shape)));
        let actions = self.scene.action.iter_mut().enumerate();
        let added = actions.filter_map(|(k, action)| {
            let (word, shape) = match &mut action.edit {
                Edit::AddBody(added) => ("add-body", added.to.shape.as_mut()),
                Edit::AddScenery(added) => ("add-scenery", Some(&mut added.to.shape)),
                Edit::ChangeScenery(changed) => ("change-scenery", Some(&mut changed.to.shape)),
                _ => return None,
            };
            Some((format!("action[{k}].do.{word}.to.shape"), shape))
        });
        for (path, shape) in bodies.chain(scenery).chain(added) {
            if let Some(Err(error)) = shape.map(|shape| load_meshes(shape, folder)) {
                refused = refused.or_else(|| Some(error.within(&path)));
            }
        }
        refused.map_or(Ok(()), |error| Err(self.explain(&error)))
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The name of the file in errors: its path, or the name of a built-in scene.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name without folder and extension: `cable` for `scenes/cable.toml`.
    pub fn short_name(&self) -> &str {
        std::path::Path::new(&self.name).file_stem().and_then(|stem| stem.to_str()).unwrap_or("scene")
    }

    /// The text of the file, as it was read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The overrides that were applied.
    pub fn overrides(&self) -> &[String] {
        &self.overrides
    }

    /// Parts of the scene without effect, such as an action after the end of the run, and time functions that
    /// its steps can't follow.
    pub fn remarks(&self) -> Vec<String> {
        remarks::remarks(&self.scene)
    }

    /// Shows an error of the engine at its place in the file.
    pub fn explain(&self, error: &BuildError) -> SceneError {
        let sources = Sources { name: &self.name, text: &self.text, overrides: &self.overrides };
        let mut remedy = error.remedy.clone();
        let mut span = 0..0;
        if let Ok(tree) = sources.tree() {
            let mut found = tree::locate(&tree, &error.path);
            found.unwrap_word();
            span = found.span;
        }
        if let BuildErrorKind::UnknownName { name } = &error.kind {
            remedy = self.suggest_name(name, remedy);
        }
        sources.place(SceneError::new(&error.path, &error.problem, remedy), span)
    }

    /// Adds "did you mean" to an unknown name.
    fn suggest_name(&self, word: &str, remedy: String) -> String {
        let things = self.scene.names().map(|(_, name)| name);
        let probes = self.scene.probe.iter().map(|probe| probe.name.as_str());
        let floor = self.scene.floor.map(|_| FLOOR);
        let groups = self.scene.contact.iter().flat_map(|contact| contact.groups.keys().map(String::as_str));
        let names: Vec<&str> = things.chain(probes).chain(floor).chain(groups).collect();
        if names.contains(&word) {
            return remedy;
        }
        format!("{}{remedy}", suggest::did_you_mean(word, names))
    }
}

/// The texts of a scene. Spans count through all of them, as if they were concatenated.
struct Sources<'i> {
    name: &'i str,
    text: &'i str,
    overrides: &'i [String],
}

impl<'i> Sources<'i> {
    /// The tree of the file with the overrides applied.
    fn tree(&self) -> Result<Spanned<DeTable<'i>>, SceneError> {
        let mut tree = DeTable::parse(self.text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            let explanation = explain::syntax_error(error.message(), self.text, span.start);
            self.place(SceneError::new("", explanation.problem, explanation.remedy), span)
        })?;
        let mut base = self.text.len() + 1;
        for argument in self.overrides {
            overrides::apply(tree.get_mut(), argument, base)?;
            base += argument.len() + 1;
        }
        Ok(tree)
    }

    /// Adds the place to an error: in the file, or in the override to which the span belongs.
    fn place(&self, error: SceneError, span: Range<usize>) -> SceneError {
        if span.start <= self.text.len() {
            return error.at(self.name, self.text, span);
        }
        let mut base = self.text.len() + 1;
        for argument in self.overrides {
            if span.start <= base + argument.len() {
                return error.at(
                    &overrides::source_name(),
                    argument,
                    span.start - base..span.end.saturating_sub(base),
                );
            }
            base += argument.len() + 1;
        }
        error.at(self.name, self.text, 0..0)
    }
}

/// The path of a deserialisation error, in the form of build errors.
fn dotted(path: &serde_path_to_error::Path) -> String {
    let text = path.to_string();
    if text == "." { String::new() } else { text }
}
