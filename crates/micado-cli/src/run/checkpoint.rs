//! A checkpoint: the state of the engine, and the counters of the program.

use super::tally::Tally;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// Data that the program adds to a snapshot of the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Counted {
    /// The scene as it was built, as JSON: only the same scene can be resumed.
    pub scene: String,
    /// Costs of the steps.
    pub tally: Tally,
    /// Number of events that frames have recorded; all if unknown. The others come with the next frame.
    #[serde(default)]
    pub recorded: Option<usize>,
}

/// Writes the head of a checkpoint, before the snapshot.
pub(super) fn write_head(counted: &Counted, out: &mut dyn Write) -> io::Result<()> {
    let head = serde_json::to_vec(counted)?;
    let length = u32::try_from(head.len()).map_err(io::Error::other)?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(&head)
}

/// Splits a checkpoint; `None` if the bytes are not a checkpoint.
pub(super) fn unpack(bytes: &[u8]) -> Option<(Counted, &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let (head, snapshot) = rest.split_at_checked(length)?;
    Some((serde_json::from_slice(head).ok()?, snapshot))
}

#[cfg(test)]
mod tests {
    use super::{Counted, unpack, write_head};
    use crate::run::tally::Tally;

    #[test]
    fn a_checkpoint_comes_back_as_it_was() {
        let mut tally = Tally::default();
        tally.add_stage("factor", 1.0 / 3.0);
        let counted = Counted { scene: "{}".to_owned(), tally, recorded: Some(2) };
        let mut bytes = Vec::new();
        write_head(&counted, &mut bytes).unwrap();
        bytes.extend([1, 2, 3]);
        assert_eq!(unpack(&bytes), Some((counted, &[1_u8, 2, 3][..])));
    }

    #[test]
    fn bytes_that_are_no_checkpoint_are_refused() {
        for bytes in [&[][..], &[1, 2], &[255; 8], &[2, 0, 0, 0, b'{', b'}'], &[0; 4]] {
            assert_eq!(unpack(bytes), None);
        }
    }
}
