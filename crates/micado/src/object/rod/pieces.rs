//! Properties along a rod, from its description and its stretches.

use super::{NaturalCurvature, RodDescription};
use crate::describe::material::RodProperties;
use crate::error::{BuildError, check};
use crate::short::Short;

/// Properties along the rod: piecewise constant.
pub(in crate::object::rod) struct Pieces {
    /// Rest arc lengths at which properties change, with the first at 0 and the last at the end.
    bounds: Vec<f64>,
    pub(in crate::object::rod) pieces: Vec<(RodProperties, Option<NaturalCurvature>)>,
}

impl Pieces {
    pub(in crate::object::rod) fn new(description: &RodDescription, length: f64) -> Result<Self, BuildError> {
        let whole = description.properties()?;
        let mut bounds = vec![0.0, length];
        let mut special = Vec::new();
        for (k, stretch) in description.stretches.iter().enumerate() {
            let path = format!("stretches[{k}]");
            let place = |at: crate::describe::anchor::At, field: &str| {
                let s = at.along(length);
                if (0.0..=length * (1.0 + 1e-9)).contains(&s) {
                    Ok(s.min(length))
                } else {
                    Err(BuildError::new(
                        format!("{path}.{field}"),
                        format!("{at} is not on the rod"),
                        format!("give a place between 0 and {} m", Short(length)),
                    ))
                }
            };
            let (from, to) = (place(stretch.from, "from")?, place(stretch.to, "to")?);
            if from >= to {
                return Err(BuildError::new(
                    format!("{path}.to"),
                    "a stretch that ends before it begins",
                    "give to > from",
                ));
            }
            let properties = description.stretch_properties(stretch).map_err(|e| e.within(&path))?;
            if let Some(natural) = &stretch.natural {
                check_natural(natural).map_err(|e| e.within(&format!("{path}.natural")))?;
            }
            bounds.extend([from, to]);
            special.push((from, to, properties, stretch.natural));
        }
        bounds.sort_by(f64::total_cmp);
        bounds.dedup();
        let pieces = bounds
            .windows(2)
            .map(|w| {
                let middle = 0.5 * (w[0] + w[1]);
                special
                    .iter()
                    .rev()
                    .find(|(from, to, ..)| (*from..*to).contains(&middle))
                    .map_or((whole, None), |&(.., properties, natural)| (properties, natural))
            })
            .collect();
        Ok(Self { bounds, pieces })
    }

    pub(in crate::object::rod) fn is_uniform(&self) -> bool {
        self.pieces.len() == 1
    }

    /// Pieces between two arc lengths with the share of the interval that each covers.
    pub(in crate::object::rod) fn shares(
        &self,
        from: f64,
        to: f64,
    ) -> impl Iterator<Item = (f64, &(RodProperties, Option<NaturalCurvature>))> {
        self.bounds.windows(2).zip(&self.pieces).filter_map(move |(w, piece)| {
            let overlap = w[1].min(to) - w[0].max(from);
            (overlap > 0.0).then(|| (overlap / (to - from), piece))
        })
    }
}

/// Checks that natural curvatures are finite.
pub(in crate::object::rod) fn check_natural(natural: &NaturalCurvature) -> Result<(), BuildError> {
    check::finite("curvature_1", natural.curvature_1)?;
    check::finite("curvature_2", natural.curvature_2)?;
    check::finite("twist", natural.twist).map(|_| ())
}
