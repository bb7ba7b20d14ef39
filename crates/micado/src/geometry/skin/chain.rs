//! Contacts of rods and points with skins.
//!
//! A piece of a rod has one contact with a part: where the distance is smallest if that is one point, else a
//! station at its middle, as for a rod on a floor. Each end of a rod has a contact too. If several points of
//! a piece are nearest in their neighbourhoods, as on bumps, each is a contact.

use super::minimum::{At, Beside, SAMPLES, Way};
use super::part::Part;
use super::pose::{Bounds, Pose};
use super::{Field, Skin};
use crate::geometry::closest::{Chain, Cubic};
use glam::DVec3;

/// Rise of the distance between the nearest point and the middle of the piece, over the radius of the rod, up
/// to which the station is the middle, and above which it is the nearest point. The rise is that at half a
/// piece from the nearest point. A taut rod on a post bulges inward between its contacts by some percent of
/// its radius: if contacts went there, it would bulge elsewhere in the next step, and never rest.
const RISE: [f64; 2] = [0.05, 0.2];

/// Contacts that are nearer along the rod than this share of a piece are one.
const SAME: f64 = 0.02;

/// A point of a rod near a skin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearSkin {
    /// Piece of the rod.
    pub piece: u32,
    /// Coordinate within the piece, 0 to 1.
    pub f: f64,
    /// Part of the skin.
    pub part: u32,
    /// Unit normal from the skin to the rod, world axes.
    pub normal: DVec3,
    /// Distance of the centre line from the surface, m; negative inside.
    pub distance: f64,
    /// The closest point of the surface in the axes of the owner of the skin, m.
    pub point: DVec3,
}

/// A contact that was found, in the axes of the part.
#[derive(Clone, Copy, Debug)]
struct Found {
    piece: u32,
    at: At,
    /// Whether it stands for a piece without a minimum.
    station: bool,
}

/// Search for contacts between rods and skins; keeps its scratch.
#[derive(Clone, Debug, Default)]
pub struct ChainSkin {
    pieces: Vec<(Bounds, u32)>,
    found: Vec<Found>,
}

/// Control points of a cubic: the piece is in their convex hull.
fn control(cubic: &Cubic) -> [DVec3; 4] {
    let [c0, c1, c2, c3] = cubic.coefficients;
    [c0, c0 + c1 / 3.0, c0 + (2.0 * c1 + c2) / 3.0, c0 + c1 + c2 + c3]
}

/// A cubic in the axes of a pose.
fn local(pose: &Pose, cubic: &Cubic) -> Cubic {
    let [c0, c1, c2, c3] = cubic.coefficients;
    let [c1, c2, c3] = [c1, c2, c3].map(|c| pose.local_vector(c));
    Cubic { coefficients: [pose.local_point(c0), c1, c2, c3] }
}

impl ChainSkin {
    /// Appends the contacts whose distance is less than `reach` (m) to `out`: by part, then along the rod.
    /// `pose` is that of the owner of the skin.
    pub fn find(&mut self, chain: &Chain<'_>, skin: &Skin, pose: &Pose, reach: f64, out: &mut Vec<NearSkin>) {
        let around = skin.bounds(pose).grown(reach);
        self.pieces.clear();
        for (k, piece) in (0..).zip(chain.pieces) {
            let bounds = Bounds::of(control(piece));
            if bounds.meets(&around) {
                self.pieces.push((bounds, k));
            }
        }
        if self.pieces.is_empty() {
            return;
        }
        for (k, part) in (0..).zip(skin.parts()) {
            self.find_part(chain, part, pose, reach);
            let placed = pose.of(part.pose());
            out.extend(self.found.iter().map(|found| NearSkin {
                piece: found.piece,
                f: found.at.f,
                part: k,
                normal: placed.vector(found.at.field.normal),
                distance: found.at.field.distance,
                point: part.pose().point(found.at.field.point),
            }));
        }
    }

    fn find_part(&mut self, chain: &Chain<'_>, part: &Part, pose: &Pose, reach: f64) {
        let around = part.bounds().placed(pose).grown(reach);
        let placed = pose.of(part.pose());
        let last_piece = chain.pieces.len() as u32 - 1;
        self.found.clear();
        // The last point of the piece before, if that was near.
        let mut before: Option<(u32, Way)> = None;
        let mut first_way = None;
        for k in 0..self.pieces.len() {
            let (bounds, piece) = self.pieces[k];
            if !bounds.meets(&around) {
                continue;
            }
            let curve = local(&placed, &chain.pieces[piece as usize]);
            let Some((beside, samples, count)) = near(curve, part, reach) else {
                continue;
            };
            let samples = &samples[..count];
            let (start, end) = (&samples[0], &samples[count - 1]);
            let ways = [beside.way(start), beside.way(end)];
            if !chain.closed && piece == 0 {
                self.push(Found { piece, at: *start, station: false }, reach);
            } else if before == Some((piece.wrapping_sub(1), Way::Down)) && ways[0] == Way::Up {
                self.join(piece - 1, start, reach);
            }
            self.minima(&beside, samples, piece, chain.radius, reach);
            if !chain.closed && piece == last_piece {
                self.push(Found { piece, at: *end, station: false }, reach);
            }
            if piece == 0 {
                first_way = Some((ways[0], *start));
            }
            before = Some((piece, ways[1]));
        }
        if let (true, Some((Way::Up, start)), Some((end, Way::Down))) = (chain.closed, first_way, before)
            && end == last_piece
        {
            self.join(end, &start, reach);
        }
        if chain.closed {
            self.merge_ring(chain.pieces.len());
        }
    }

    /// The minimum at the joint after a piece, where a curve has a corner; `start` is that point of the next
    /// piece. It takes the place of the station of the piece.
    fn join(&mut self, piece: u32, start: &At, reach: f64) {
        if self.found.last().is_some_and(|last| last.piece == piece && last.station) {
            self.found.pop();
        }
        self.push(Found { piece, at: At { f: 1.0, ..*start }, station: false }, reach);
    }

    /// The contacts of a piece.
    fn minima(&mut self, beside: &Beside<'_>, samples: &[At], piece: u32, radius: f64, reach: f64) {
        let mut minima = [samples[0]; SAMPLES];
        let mut count = 0;
        beside.minima(samples, |start, end| {
            // Of a plateau, the point nearest to the middle.
            let f = 0.5_f64.clamp(start.f, end.f);
            let at = if f == start.f {
                start
            } else if f == end.f {
                end
            } else {
                beside.at(f)
            };
            if count < SAMPLES {
                minima[count] = at;
                count += 1;
            }
        });
        let middle = samples[samples.len() / 2];
        let distances = samples.iter().map(|at| at.field.distance);
        let [low, high] =
            [distances.clone().fold(f64::INFINITY, f64::min), distances.fold(f64::NEG_INFINITY, f64::max)];
        match count {
            0 => self.push(Found { piece, at: middle, station: true }, reach),
            1 => {
                let at = stationed(beside, &minima[0], &middle, radius);
                self.push(Found { piece, at, station: false }, reach);
            }
            // Several minima by rounding.
            _ if high - low < RISE[0] * radius => {
                self.push(Found { piece, at: middle, station: false }, reach);
            }
            _ => {
                for at in minima.into_iter().take(count) {
                    self.push(Found { piece, at, station: false }, reach);
                }
            }
        }
    }

    /// Keeps a contact if it is near enough; of two at nearly the same place, the nearer one.
    fn push(&mut self, found: Found, reach: f64) {
        let near = found.at.field.distance < reach;
        if !near {
            return;
        }
        let along = |found: &Found| f64::from(found.piece) + found.at.f;
        match self.found.last_mut() {
            Some(last) if along(&found) - along(last) < SAME => {
                if found.at.field.distance < last.at.field.distance {
                    *last = found;
                }
            }
            _ => self.found.push(found),
        }
    }

    /// On a closed chain, the last and the first contact may be one.
    fn merge_ring(&mut self, pieces: usize) {
        if let [first, .., last] = self.found[..] {
            let gap = f64::from(first.piece) + first.at.f + pieces as f64 - f64::from(last.piece) - last.at.f;
            if gap < SAME {
                if last.at.field.distance < first.at.field.distance {
                    self.found.remove(0);
                } else {
                    self.found.pop();
                }
            }
        }
    }
}

/// The samples of a piece, unless it is farther than `reach`: d changes by no more than the way.
fn near(curve: Cubic, part: &Part, reach: f64) -> Option<(Beside<'_>, [At; SAMPLES], usize)> {
    let middle = curve.at(0.5);
    let half = control(&curve).into_iter().map(|x| x.distance(middle)).fold(0.0, f64::max);
    let beside = Beside { curve, form: part.form(), limit: 1.001 * (reach.max(0.0) + 2.0 * half) };
    let centre = beside.at(0.5);
    let is_near = centre.field.distance - half < reach;
    if !is_near {
        return None;
    }
    let mut samples = [centre; SAMPLES];
    let count = beside.sample(&mut samples);
    Some((beside, samples, count))
}

/// A minimum that is hardly below its surroundings is moved to the middle of the piece, since it jumps along
/// the piece at the slightest change: f = f* + w (½ − f*), with w from 1 to 0 as the rise (φ(½) − φ(f*)) / (2
/// (½ − f*))² grows.
fn stationed(beside: &Beside<'_>, minimum: &At, middle: &At, radius: f64) -> At {
    let away = 0.5 - minimum.f;
    if away.abs() < 1e-6 {
        return *minimum;
    }
    let rise = (middle.field.distance - minimum.field.distance) / (4.0 * away * away);
    let [low, high] = RISE.map(|share| share * radius);
    let t = ((high - rise) / (high - low)).clamp(0.0, 1.0);
    if t == 0.0 || high <= low {
        *minimum
    } else if t == 1.0 {
        *middle
    } else {
        beside.at(minimum.f + t * t * (3.0 - 2.0 * t) * away)
    }
}

/// Appends the contacts of a point with a skin whose distance is less than `reach` (m) to `out`, one for each
/// part. `pose` is that of the owner of the skin.
pub fn find_point(x: DVec3, skin: &Skin, pose: &Pose, reach: f64, out: &mut Vec<NearSkin>) {
    let own = pose.local_point(x);
    for (k, part) in (0..).zip(skin.parts()) {
        if !part.bounds().grown(reach).contains(own) {
            continue;
        }
        let limit = 1.001 * reach.max(0.0);
        if let Some(Field { distance, normal, point }) =
            part.form().field(part.pose().local_point(own), limit)
            && distance < reach
        {
            let normal = pose.vector(part.pose().vector(normal));
            out.push(NearSkin {
                piece: 0,
                f: 0.0,
                part: k,
                normal,
                distance,
                point: part.pose().point(point),
            });
        }
    }
}
