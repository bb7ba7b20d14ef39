//! Read-outs of joints: rates and gauges of their coordinates, energy of their springs.

use crate::constraint::{COORDINATES, ENDS, Gauge, Law, Row, Site, spread};
use crate::error::BuildError;
use crate::world::World;

impl World {
    /// Energy of the springs along soft rows, J: ½ k g².
    pub(super) fn soft_energy(&self) -> f64 {
        let mut energy = 0.0;
        for (k, constraint) in self.structure.constraints.iter().enumerate() {
            let memory = &self.state.constraints[k];
            if let (true, Ok(sites)) = (constraint.law.is_soft() && !memory.open, self.sites(k)) {
                let (kind, time) = (&memory.kind, self.state.time);
                constraint.law.soft_rows(&sites, kind, time, |soft| energy += soft.energy());
            }
        }
        energy
    }

    /// Rate of the displacement of a row of a constraint, m/s or rad/s: J v.
    pub(super) fn rate_of_row(&self, index: usize, row: &Row, sites: &[Site; ENDS]) -> f64 {
        let (constraint, memory) = (&self.structure.constraints[index], &self.state.constraints[index]);
        let places = constraint.places(&self.structure.objects, memory);
        let mut rate = 0.0;
        for (place, spread) in places.iter().zip(&spread(row, &places, sites)) {
            let Some(object) = place.object() else { continue };
            let v = &self.state.v[self.structure.objects[object].unknowns()];
            for (k, &node) in place.nodes().iter().enumerate() {
                let of_node = &v[4 * node as usize..];
                rate += place.on_node(k, spread).iter().zip(of_node).map(|(j, v)| j * v).sum::<f64>();
            }
        }
        rate
    }

    /// Rates of the coordinates of a joint, rad/s and m/s; zero for other constraints.
    pub(super) fn joint_rates(&self, index: usize) -> Result<[f64; COORDINATES], BuildError> {
        let sites = self.sites(index)?;
        let Law::Joint(law) = &self.structure.constraints[index].law else { return Ok([0.0; COORDINATES]) };
        Ok(law.coordinate_rows(&sites[0], &sites[1]).map(|row| self.rate_of_row(index, &row, &sites)))
    }

    /// Gauges of the angle and of the displacement of a joint; `None` for other constraints.
    ///
    /// # Errors
    /// There is no such constraint.
    pub fn joint_gauges(&self, index: usize) -> Result<[Option<Gauge>; 2], BuildError> {
        let (sites, rates) = (self.sites(index)?, self.joint_rates(index)?);
        let Law::Joint(law) = &self.structure.constraints[index].law else { return Ok([None; 2]) };
        Ok(law.gauges(&sites, &self.state.constraints[index], rates, self.state.time))
    }
}
