//! Map of material after rods were cut, spliced or remeshed.

use crate::constraint::Rods;
use crate::describe::anchor::At;
use crate::object::place::SAME_PLACE;
use crate::object::rod::Stretch;
use crate::scene::Probe;

/// New position of one piece of a rod.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// The old rod and its length, m.
    pub rod: String,
    pub length: f64,
    /// Rest arc lengths of the piece on it, m.
    pub from: f64,
    pub to: f64,
    /// The new rod and its length, m.
    pub onto: String,
    pub onto_length: f64,
    /// Increase of its arc lengths, m.
    pub shift: f64,
    /// Increase of its roll, rad; its directors are unchanged.
    pub roll: f64,
}

/// New positions of the pieces of some rods; a place between two pieces belongs to the one listed first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Remap {
    pub pieces: Vec<Piece>,
}

impl Piece {
    /// The new place of arc length `s` of the old rod.
    pub(crate) fn at(&self, s: f64) -> At {
        let (s, length) = (s.clamp(self.from, self.to) + self.shift, self.onto_length);
        if s <= SAME_PLACE * length {
            At::START
        } else if s >= length * (1.0 - SAME_PLACE) {
            At::END
        } else {
            At::Length(s)
        }
    }
}

impl Remap {
    /// Pieces of a rod.
    pub(crate) fn of<'a>(&'a self, rod: &str) -> impl Iterator<Item = &'a Piece> {
        self.pieces.iter().filter(move |piece| piece.rod == rod)
    }

    /// The piece with arc length `s` of a rod.
    pub(crate) fn piece(&self, rod: &str, s: f64) -> Option<&Piece> {
        self.of(rod).find(|piece| {
            let slip = SAME_PLACE * piece.length;
            (piece.from - slip..=piece.to + slip).contains(&s)
        })
    }

    /// The new position of a described place; `None` if it stays.
    pub(crate) fn place(&self, on: &str, at: Option<At>) -> Option<(&Piece, Option<At>)> {
        let Some(at) = at else { return self.of(on).next().map(|piece| (piece, None)) };
        let length = self.of(on).next()?.length;
        let s = at.along(length);
        self.piece(on, s).map(|piece| (piece, Some(piece.at(s))))
    }

    /// Moves a description to the present rod of its place.
    pub(crate) fn put(&self, on: &mut String, at: &mut At) -> Option<&Piece> {
        let (piece, place) = self.place(on, Some(*at))?;
        (*on, *at) = (piece.onto.clone(), place.unwrap_or(*at));
        Some(piece)
    }

    /// Makes a probe follow its material; a probe of a whole rod follows its first piece.
    pub(crate) fn probe(&self, probe: &mut Probe) {
        if let Some((piece, at)) = self.place(&probe.of, probe.at) {
            (probe.of, probe.at) = (piece.onto.clone(), at);
        }
    }

    /// Makes a constraint that waits for a rod wait for all its pieces.
    pub(crate) fn rods(&self, rods: &mut Rods) {
        let mut names: Vec<String> = Vec::with_capacity(rods.0.len() + 1);
        for name in &rods.0 {
            let mut pieces = self.of(name).map(|piece| &piece.onto).peekable();
            let stays = pieces.peek().is_none().then_some(name);
            for onto in stays.into_iter().chain(pieces) {
                if !names.contains(onto) {
                    names.push(onto.clone());
                }
            }
        }
        rods.0 = names;
    }

    /// The parts of a stretch of a rod, on their present rods.
    pub(crate) fn parts<'a>(&'a self, on: &str, from: At, to: At) -> impl Iterator<Item = (&'a str, At, At)> {
        self.of(on).filter_map(move |piece| {
            let (from, to) = (from.along(piece.length).max(piece.from), to.along(piece.length).min(piece.to));
            (to - from > SAME_PLACE * piece.length)
                .then(|| (piece.onto.as_str(), piece.at(from), piece.at(to)))
        })
    }

    /// The stretches with other properties of a rod, converted to the rod `onto`.
    pub(crate) fn stretches(&self, rod: &str, stretches: &[Stretch], onto: &str) -> Vec<Stretch> {
        let on_it = |stretch: &Stretch| -> Vec<Stretch> {
            let parts = self.parts(rod, stretch.from, stretch.to).filter(|(name, ..)| *name == onto);
            parts.map(|(_, from, to)| Stretch { from, to, ..stretch.clone() }).collect()
        };
        stretches.iter().flat_map(on_it).collect()
    }
}
