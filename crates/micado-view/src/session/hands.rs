//! Hands: position and clamp constraints that pages move.

use crate::protocol::{Grab, Problem};
use glam::DVec3;
use micado::constraint::{Clamp, ConstraintDescription, Position, RowForm};
use micado::describe::anchor::At;
use micado::describe::signal::Signal;
use micado::error::BuildError;
use micado::object::Object;
use micado::run::Simulation;
use micado::run::realtime::{Hand, HandEnd};
use micado::scene::{Edit, Named};
use micado::world::World;

/// Number of a page.
pub(crate) type PageId = u64;

/// Largest distance that a hand moves in one step, as a share of the structure's size; it is also limited to
/// a segment of the rod that it holds. After a jump of the mouse, the hand and the rod follow in a few steps.
const MOST_MOTION: f64 = 0.1;
/// Largest stretch of a rod, as a share of its length; beyond it hands move only sideways. No cable
/// withstands more, and after a release the rod would move faster than steps can follow.
const MOST_STRETCH: f64 = 0.5;
/// Largest ratio of the mean segment length to a segment's length for which the stretch of the rod suffices.
const UNEQUAL_SEGMENTS: usize = 4;
/// Largest rotation of a hand in one step, rad.
const MOST_TURN: f64 = 0.3;
/// Factors of the pace of hands: after a held step, and after a successful one; below the least pace they
/// stand still.
const SLOWER: f64 = 0.5;
const FASTER: f64 = 1.25;
const LEAST_PACE: f64 = 1e-3;

/// A hand and its constraint.
#[derive(Debug)]
struct Holder {
    name: String,
    page: PageId,
    grab: Grab,
    hand: Hand,
    /// Target of the page: position, and rotation vector relative to the grabbed frame.
    wanted: [DVec3; 2],
    /// Current position and rotation on the way to the target.
    at: [DVec3; 2],
    /// Rotation before the last step.
    turned: DVec3,
    /// Mean length of the segments of the rod that it holds, m.
    segment: f64,
}

/// The hands of all pages.
#[derive(Debug)]
pub(crate) struct Hands {
    holders: Vec<Holder>,
    /// Ends of the hands in the simulation, in the same order.
    ends: Vec<HandEnd>,
    /// Number of hands so far.
    count: u64,
    /// Current share of the largest motion per step.
    pace: f64,
}

impl Default for Hands {
    fn default() -> Self {
        Self::after(0)
    }
}

impl Hands {
    /// No hands, with the count continued from others.
    pub(super) fn after(count: u64) -> Self {
        Self { holders: Vec::new(), ends: Vec::new(), count, pace: 1.0 }
    }

    /// Number of hands so far.
    pub(super) fn so_far(&self) -> u64 {
        self.count
    }

    /// Grabs a place; returns the name of the hand.
    pub(super) fn grab(
        &mut self,
        simulation: &mut Simulation,
        grab: &Grab,
        page: PageId,
    ) -> Result<String, BuildError> {
        let name = self.free_name(simulation, "hand");
        simulation.apply(&Edit::AddConstraint(Named { name: name.clone(), to: description(grab, None) }))?;
        let (mut hand, end) = Hand::on(simulation.world(), &name)?;
        let place = hand.feel().position;
        let at = [place, DVec3::ZERO];
        let held = simulation.world().structure().objects.iter().find(|object| object.name == grab.on);
        let segment =
            held.and_then(Object::rod).map_or(f64::INFINITY, |rod| rod.length() / rod.segments() as f64);
        self.holders.push(Holder {
            name: name.clone(),
            page,
            grab: grab.clone(),
            hand,
            wanted: at,
            at,
            turned: DVec3::ZERO,
            segment,
        });
        self.ends.push(end);
        Ok(name)
    }

    /// An unused name.
    pub(super) fn free_name(&mut self, simulation: &Simulation, kind: &str) -> String {
        let structure = simulation.world().structure();
        loop {
            self.count += 1;
            let name = format!("{kind}-{}", self.count);
            if !structure.has_name(&name) {
                return name;
            }
        }
    }

    /// Sets the target of a hand.
    pub(super) fn move_to(
        &mut self,
        name: &str,
        position: [f64; 3],
        rotation: Option<[f64; 3]>,
    ) -> Result<(), Problem> {
        let holder =
            self.holders.iter_mut().find(|holder| holder.name == name).ok_or_else(|| unknown(name))?;
        let [position, rotation] =
            [position, rotation.unwrap_or(holder.wanted[1].to_array())].map(DVec3::from_array);
        if !position.is_finite()
            || !rotation.is_finite()
            || position.length() > 1e9
            || rotation.length() > 1e3
        {
            return Err(Problem::new("a hand can't move there", "give finite numbers, in m and rad"));
        }
        holder.wanted = [position, rotation];
        Ok(())
    }

    /// Before a step: moves the hands towards their targets, limited by the size of the structure and by the
    /// stretch of its rods. Returns the ends for the step.
    pub(super) fn advance(&mut self, world: &World, size: f64) -> &mut [HandEnd] {
        let pace = if self.pace < LEAST_PACE { 0.0 } else { self.pace };
        let taut = !self.holders.is_empty() && largest_stretch(world) > MOST_STRETCH;
        for holder in &mut self.holders {
            let pull = -holder.hand.feel().force;
            holder.turned = holder.at[1];
            for (k, most) in [(0, pace * holder.segment.min(MOST_MOTION * size)), (1, pace * MOST_TURN)] {
                let mut way = holder.wanted[k] - holder.at[k];
                if k == 0 && taut && way.dot(pull) > 0.0 {
                    way = way.reject_from(pull);
                }
                holder.at[k] += way.clamp_length_max(most);
            }
            holder.hand.move_to(holder.at[0].to_array(), holder.at[1].to_array());
        }
        &mut self.ends
    }

    /// After a step. After a held step, hands restart at the places that they hold, more slowly.
    pub(super) fn after_step(&mut self, held: bool) {
        if !held {
            self.pace = (FASTER * self.pace.max(LEAST_PACE)).min(1.0);
            return;
        }
        self.pace = (SLOWER * self.pace).max(SLOWER * LEAST_PACE);
        for holder in &mut self.holders {
            holder.at = [holder.hand.feel().position, holder.turned];
        }
    }

    /// Removes a hand; may pin the place that it held. Returns the name of the pin.
    pub(super) fn drop(
        &mut self,
        simulation: &mut Simulation,
        name: &str,
        pin: bool,
    ) -> Result<Option<String>, Problem> {
        let k = self.holders.iter().position(|holder| holder.name == name).ok_or_else(|| unknown(name))?;
        let Holder { grab, at, .. } = self.holders.remove(k);
        self.ends.remove(k);
        simulation.apply(&Edit::Release(name.to_owned()))?;
        if !pin {
            return Ok(None);
        }
        let pin = self.free_name(simulation, "pin");
        // At its place after the last step: the target of the hand may be further.
        simulation
            .apply(&Edit::AddConstraint(Named { name: pin.clone(), to: description(&grab, Some(at)) }))?;
        Ok(Some(pin))
    }

    /// Removes all hands of a page.
    pub(super) fn drop_all_of(&mut self, simulation: &mut Simulation, page: PageId) -> bool {
        let names: Vec<String> = self
            .holders
            .iter()
            .filter(|holder| holder.page == page)
            .map(|holder| holder.name.clone())
            .collect();
        names.iter().for_each(|name| drop(self.drop(simulation, name, false)));
        !names.is_empty()
    }

    /// Forgets hands whose constraints are gone.
    pub(super) fn forget_lost(&mut self, simulation: &Simulation) {
        let there = |name: &str| {
            simulation.world().structure().constraints.iter().any(|constraint| constraint.name == name)
        };
        let kept: Vec<bool> = self.holders.iter().map(|holder| there(&holder.name)).collect();
        let mut keep = kept.iter();
        self.holders.retain(|_| keep.next().copied().unwrap_or(false));
        let mut keep = kept.iter();
        self.ends.retain(|_| keep.next().copied().unwrap_or(false));
    }

    /// Whether there are no hands.
    pub(super) fn is_empty(&self) -> bool {
        self.holders.is_empty()
    }

    /// Names of the hands.
    pub(super) fn names(&self) -> Vec<String> {
        self.holders.iter().map(|holder| holder.name.clone()).collect()
    }

    /// Whether a constraint is a hand.
    pub(super) fn holds(&self, name: &str) -> bool {
        self.holders.iter().any(|holder| holder.name == name)
    }

    /// Target of the hand on a constraint.
    pub(super) fn target(&self, name: &str) -> Option<DVec3> {
        self.holders.iter().find(|holder| holder.name == name).map(|holder| holder.wanted[0])
    }
}

/// Largest mean stretch of a segment of any rod. Segments are read only if the rod as a whole is long enough:
/// the stretch of one segment is a share of that of the rod.
fn largest_stretch(world: &World) -> f64 {
    let stretch = |object: &Object| {
        let rod = object.rod()?;
        let whole = rod.present_length(&world.state().q[object.unknowns()]) / rod.length() - 1.0;
        let segments = rod.segments();
        if whole * (UNEQUAL_SEGMENTS * segments) as f64 <= MOST_STRETCH {
            return None;
        }
        let each =
            (0..segments).filter_map(|e| Some(world.section(object, rod.arc_at(e, 0.5)).ok()?.stretch));
        Some(each.fold(0.0, f64::max))
    };
    world.structure().objects.iter().filter_map(stretch).fold(0.0, f64::max)
}

fn unknown(name: &str) -> Problem {
    Problem::new(
        format!("there is no hand called `{name}`"),
        "grab something first; undo and reset let go of everything",
    )
}

/// The constraint that holds a place, at its current position or at a pose.
fn description(grab: &Grab, pose: Option<[DVec3; 2]>) -> ConstraintDescription {
    let target = pose.map(|[position, _]| Signal::Constant(position.to_array()));
    let (on, at) = (grab.on.clone(), grab.at.map(At::Length).or(grab.point.map(At::Point)));
    match (grab.orientation, at) {
        (true, Some(at)) => ConstraintDescription::Clamp(Clamp {
            on,
            at: Some(at),
            arm: None,
            target,
            displacement: Signal::default(),
            direction: None,
            rotation: Signal::default(),
            roll: Signal::default(),
            rows: RowForm::default(),
        }),
        _ => ConstraintDescription::Position(Position {
            on,
            at,
            arm: None,
            target,
            displacement: Signal::default(),
        }),
    }
}
