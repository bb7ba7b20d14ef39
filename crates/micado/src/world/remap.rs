//! Where material has gone when rods were cut, spliced or divided anew.

use crate::constraint::Rods;
use crate::describe::anchor::At;
use crate::object::place::SAME_PLACE;
use crate::object::rod::Stretch;
use crate::scene::Probe;

/// Where one piece of a rod has gone.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// The rod that it was of, and the length that this had, m.
    pub rod: String,
    pub length: f64,
    /// Rest arc lengths between which it lay, m.
    pub from: f64,
    pub to: f64,
    /// The rod that it is of now, and its length, m.
    pub onto: String,
    pub onto_length: f64,
    /// What its arc lengths have grown by, m.
    pub shift: f64,
    /// What its roll has grown by, rad, its directors being where they were.
    pub roll: f64,
}

/// Where the pieces of some rods have gone; a place between two pieces goes with the one that is named first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Remap {
    pub pieces: Vec<Piece>,
}

impl Piece {
    /// The place of arc length `s` of the old rod.
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

    /// The piece on which arc length `s` of a rod lay.
    pub(crate) fn piece(&self, rod: &str, s: f64) -> Option<&Piece> {
        self.of(rod).find(|piece| {
            let slip = SAME_PLACE * piece.length;
            (piece.from - slip..=piece.to + slip).contains(&s)
        })
    }

    /// Where a described place has gone, if it has; `None` for what stays where it is.
    pub(crate) fn place(&self, on: &str, at: Option<At>) -> Option<(&Piece, Option<At>)> {
        let Some(at) = at else { return self.of(on).next().map(|piece| (piece, None)) };
        let length = self.of(on).next()?.length;
        let s = at.along(length);
        self.piece(on, s).map(|piece| (piece, Some(piece.at(s))))
    }

    /// Puts a description on the rod that its place is of now.
    pub(crate) fn put(&self, on: &mut String, at: &mut At) -> Option<&Piece> {
        let (piece, place) = self.place(on, Some(*at))?;
        (*on, *at) = (piece.onto.clone(), place.unwrap_or(*at));
        Some(piece)
    }

    /// A probe looks at the material that it looked at; at a whole rod, at the first piece of it.
    pub(crate) fn probe(&self, probe: &mut Probe) {
        if let Some((piece, at)) = self.place(&probe.of, probe.at) {
            (probe.of, probe.at) = (piece.onto.clone(), at);
        }
    }

    /// What waited for a rod waits for every piece of it.
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

    /// The parts of a stretch of a rod, with the rods on which they are now.
    pub(crate) fn parts<'a>(&'a self, on: &str, from: At, to: At) -> impl Iterator<Item = (&'a str, At, At)> {
        self.of(on).filter_map(move |piece| {
            let (from, to) = (from.along(piece.length).max(piece.from), to.along(piece.length).min(piece.to));
            (to - from > SAME_PLACE * piece.length)
                .then(|| (piece.onto.as_str(), piece.at(from), piece.at(to)))
        })
    }

    /// The stretches of other properties of a rod as they lie on the rod `onto`.
    pub(crate) fn stretches(&self, rod: &str, stretches: &[Stretch], onto: &str) -> Vec<Stretch> {
        let on_it = |stretch: &Stretch| -> Vec<Stretch> {
            let parts = self.parts(rod, stretch.from, stretch.to).filter(|(name, ..)| *name == onto);
            parts.map(|(_, from, to)| Stretch { from, to, ..stretch.clone() }).collect()
        };
        stretches.iter().flat_map(on_it).collect()
    }
}
