//! Edits: every structural change is a plain-data value, applied between steps.

use crate::describe::anchor::At;
use crate::describe::signal::Signal;
use crate::describe::units;
use crate::scene::kinds::{Description, Kind, kinds, types::*};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! edit {
    ($($(#[$doc:meta])* $Kind:ident($Description:ident) $word:ident $words:ident {
        $($(#[$edit_doc:meta])* $Edit:ident($Payload:ty) $edit_word:literal $effect:ident,)*
    })*) => {
        /// A change of the structure.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum Edit {
            $($(
                $(#[$edit_doc])*
                #[serde(rename = $edit_word)]
                $Edit($Payload),
            )*)*
            /// Cuts a rod in two.
            Cut(Cut),
            /// Joins the end of a rod to the start of another.
            Splice(Splice),
            /// Puts knots into a rod.
            Refine(Refine),
            /// Takes knots out of a rod.
            Coarsen(Coarsen),
            /// Changes gravity, m/s².
            Gravity(Signal<[f64; 3]>),
            /// Sets all velocities to zero.
            Stop,
        }

        impl Edit {
            /// Its word in scene files.
            pub fn word(&self) -> &'static str {
                match self {
                    $($(Self::$Edit(_) => $edit_word,)*)*
                    Self::Cut(_) => "cut",
                    Self::Splice(_) => "splice",
                    Self::Refine(_) => "refine",
                    Self::Coarsen(_) => "coarsen",
                    Self::Gravity(_) => "gravity",
                    Self::Stop => "stop",
                }
            }

            /// The edit without the kind of item in its type.
            pub(crate) fn sorted(&self) -> SortedEdit<'_> {
                let (kind, (name, field), effect) = match self {
                    $($(Self::$Edit(edit) => (Kind::$Kind, edit.names(), effect!($effect $Kind edit)),)*)*
                    Self::Cut(cut) => return SortedEdit::Cut(cut),
                    Self::Splice(splice) => return SortedEdit::Splice(splice),
                    Self::Refine(refine) => return SortedEdit::Refine(refine),
                    Self::Coarsen(coarsen) => return SortedEdit::Coarsen(coarsen),
                    Self::Gravity(_) => return SortedEdit::Gravity,
                    Self::Stop => return SortedEdit::Stop,
                };
                SortedEdit::Item(ItemEdit { kind, name, field, effect })
            }

            /// Its effect on the item that it names. `None` if it cuts, splices, refines or coarsens rods, or
            /// has no item.
            pub(crate) fn item_edit(&self) -> Option<ItemEdit<'_>> {
                if let SortedEdit::Item(edit) = self.sorted() { Some(edit) } else { None }
            }
        }
    };
}

macro_rules! effect {
    (adds $Kind:ident $edit:ident) => {
        Effect::Add(Description::$Kind(&$edit.to))
    };
    (changes $Kind:ident $edit:ident) => {
        Effect::Change(Description::$Kind(&$edit.to))
    };
    (removes $Kind:ident $edit:ident) => {
        Effect::Remove
    };
    (opens $Kind:ident $edit:ident) => {
        Effect::Open
    };
    (closes $Kind:ident $edit:ident) => {
        Effect::Close($edit.at)
    };
}
kinds!(all => edit);

/// An edit, with one case for all edits of one item.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SortedEdit<'a> {
    Item(ItemEdit<'a>),
    Cut(&'a Cut),
    Splice(&'a Splice),
    Refine(&'a Refine),
    Coarsen(&'a Coarsen),
    Gravity,
    Stop,
}

/// Effect of an edit on the item that it names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ItemEdit<'a> {
    /// Kind of the item.
    pub kind: Kind,
    /// Its name.
    pub name: &'a str,
    /// The field below the word of the edit that names the item; empty for a bare name.
    pub field: &'static str,
    pub effect: Effect<'a>,
}

/// Effect of an edit on an item.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Effect<'a> {
    /// It is added, with this description.
    Add(Description<'a>),
    /// It gets this description.
    Change(Description<'a>),
    /// It is removed.
    Remove,
    /// It opens.
    Open,
    /// It closes about this place.
    Close(At),
}

/// The data of an edit of one item: they contain its name.
trait Names {
    /// The name, and its field; empty for a bare name.
    fn names(&self) -> (&str, &'static str);
}

impl<T> Names for Named<T> {
    fn names(&self) -> (&str, &'static str) {
        (&self.name, "name")
    }
}

impl Names for ClipAt {
    fn names(&self) -> (&str, &'static str) {
        (&self.name, "name")
    }
}

impl Names for String {
    fn names(&self) -> (&str, &'static str) {
        (self, "")
    }
}

/// Cuts a rod in two; a closed one becomes an open one. Items attached exactly at the cut belong to the first
/// part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cut {
    /// Rod, by name.
    pub rod: String,
    /// Where it is cut.
    pub at: At,
    /// Name of the part before the cut; that of the rod unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    /// Name of the part beyond the cut. A closed rod has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<String>,
}

/// Joins the end of a rod to the start of another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Splice {
    /// Rod whose end is joined, by name.
    pub first: String,
    /// Rod whose start is joined to it, by name.
    pub second: String,
    /// Name of the whole; that of the first rod unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Largest distance of the ends, m; 1 mm unless given.
    #[serde(default = "millimetre", deserialize_with = "units::length")]
    #[schemars(with = "units::QuantityInput")]
    pub tolerance: f64,
    /// Largest angle between the tangents there, rad; 30° unless given.
    #[serde(default = "thirty_degrees", deserialize_with = "units::angle")]
    #[schemars(with = "units::QuantityInput")]
    pub angle: f64,
}

fn millimetre() -> f64 {
    1e-3
}

fn thirty_degrees() -> f64 {
    std::f64::consts::FRAC_PI_6
}

/// Inserts knots into an open spline rod, each of which divides a segment: the rod doesn't move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Refine {
    /// Rod, by name.
    pub rod: String,
    /// Places of the new knots, by rest arc length.
    pub at: Vec<At>,
}

/// Removes knots of an open spline rod, if that moves it by no more than a tolerance. Initial knots of a rod
/// stay, unless it was straight at rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Coarsen {
    /// Rod, by name.
    pub rod: String,
    /// Places of knots: the nearest one to each place is removed.
    pub at: Vec<At>,
    /// Largest displacement of the rod per knot, m; 10 µm unless given.
    #[serde(default = "ten_micrometres", deserialize_with = "units::length")]
    #[schemars(with = "units::QuantityInput")]
    pub tolerance: f64,
    /// Largest rotation of a section about the tangent per knot, rad; 1 mrad unless given.
    #[serde(default = "milliradian", deserialize_with = "units::angle")]
    #[schemars(with = "units::QuantityInput")]
    pub angle: f64,
}

fn ten_micrometres() -> f64 {
    1e-5
}

fn milliradian() -> f64 {
    1e-3
}

/// A clip and a place on its rod.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClipAt {
    /// Name of the clip.
    pub name: String,
    /// Which of its rods, by name; the first unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// Place on the rod.
    pub at: At,
}

/// A description with a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Named<T> {
    /// Name.
    pub name: String,
    /// Description.
    pub to: T,
}

impl Edit {
    /// Kind, name and field of the items that it adds.
    pub fn adds(&self) -> impl Iterator<Item = (Kind, &str, &'static str)> {
        let added = self.item_edit().filter(|item_edit| matches!(item_edit.effect, Effect::Add(_)));
        let rods: [Option<(&str, &'static str)>; 2] = match self {
            Self::Cut(cut) => {
                let new = |name: &&str| *name != cut.rod;
                let [first, second] = [&cut.first, &cut.second].map(|name| name.as_deref().filter(new));
                [first.map(|name| (name, "first")), second.map(|name| (name, "second"))]
            }
            Self::Splice(splice) => {
                let new = |name: &&str| *name != splice.first && *name != splice.second;
                [splice.name.as_deref().filter(new).map(|name| (name, "name")), None]
            }
            _ => [None, None],
        };
        things(added, rods)
    }

    /// Kind, name and field of the items that must exist; the field is empty for a bare name.
    pub fn needs(&self) -> impl Iterator<Item = (Kind, &str, &'static str)> {
        let needed = self.item_edit().filter(|item_edit| !matches!(item_edit.effect, Effect::Add(_)));
        let rods: [Option<(&str, &'static str)>; 2] = match self {
            Self::Cut(Cut { rod, .. })
            | Self::Refine(Refine { rod, .. })
            | Self::Coarsen(Coarsen { rod, .. }) => [Some((rod, "rod")), None],
            Self::Splice(splice) => [Some((&splice.first, "first")), Some((&splice.second, "second"))],
            _ => [None, None],
        };
        things(needed, rods)
    }

    /// Whether the item of this name is removed or renamed by it.
    pub fn takes_away(&self, name: &str) -> bool {
        match self {
            Self::Cut(cut) => {
                cut.rod == name
                    && cut.first.as_ref().unwrap_or(&cut.rod) != name
                    && cut.second.as_deref() != Some(name)
            }
            Self::Splice(splice) => {
                [&splice.first, &splice.second].iter().any(|rod| *rod == name)
                    && splice.name.as_ref().unwrap_or(&splice.first) != name
            }
            _ => self.item_edit().is_some_and(|item_edit| {
                matches!(item_edit.effect, Effect::Remove) && item_edit.name == name
            }),
        }
    }
}

/// Kind, name and field of the one item of an edit, or of its rods.
fn things<'a>(
    one: Option<ItemEdit<'a>>,
    rods: [Option<(&'a str, &'static str)>; 2],
) -> impl Iterator<Item = (Kind, &'a str, &'static str)> {
    let one = one.map(|item_edit| (item_edit.kind, item_edit.name, item_edit.field));
    one.into_iter().chain(rods.into_iter().flatten().map(|(name, field)| (Kind::Rod, name, field)))
}

#[cfg(test)]
mod tests {
    use super::Edit;
    use serde_json::{Value, json};

    #[test]
    fn words_of_edits_are_those_of_scene_files() {
        let mass = json!({"name": "a", "to": {"position": [0, 0, 0], "mass": 1}});
        let edits = [
            json!({"add-mass": mass}),
            json!({"release": "a"}),
            json!({"close-clip": {"name": "a", "at": 0}}),
            json!({"cut": {"rod": "a", "at": 0}}),
            json!({"splice": {"first": "a", "second": "b"}}),
            json!({"refine": {"rod": "a", "at": []}}),
            json!({"coarsen": {"rod": "a", "at": []}}),
            json!({"gravity": [0, 0, 0]}),
            json!("stop"),
        ];
        for words in edits {
            let edit: Edit = serde_json::from_value(words.clone()).expect("an edit");
            let written = match &words {
                Value::String(word) => word,
                table => table.as_object().and_then(|fields| fields.keys().next()).expect("a word"),
            };
            assert_eq!(edit.word(), written);
            assert!(edit.adds().chain(edit.needs()).all(|(_, name, _)| name == "a" || name == "b"));
        }
    }
}
