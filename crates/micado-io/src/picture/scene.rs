//! A picture from data: the stage that all frames of a motion share, and the order of drawing.

use glam::DVec3;
use tiny_skia::Pixmap;

use super::camera::{Camera, Frame, box_of, good_direction, middle_of};
use super::canvas::{Canvas, Pen, Place};
use super::colour::{self, Rgb};
use super::data::{Arrow, Drawing, LineKind, Marker, MarkerKind, Mesh, Tube, View};
use super::ground::{Ground, Shadow};
use super::label::Labels;
use super::shade::{FINE, Knot, Layer, PALE};
use super::{PictureError, gauge, legend, marker};
use crate::plot::ticks::nice_step;

/// Points further out than this, m, count as not finite.
const FARTHEST: f64 = 1e9;
/// Length of the largest arrow, as a share of the structure.
const ARROW: f64 = 0.16;
/// Width of the edges of surfaces, units.
const EDGE: f64 = 1.4;

/// Camera, ground and scales: the same for all frames of a motion.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) camera: Camera,
    pub(super) ground: Ground,
    /// Values at both ends of the colour scale.
    pub(super) range: Option<(f64, f64)>,
    /// Metres of arrow per newton.
    pub(super) arrow_scale: f64,
    /// Largest size of the structure, m.
    pub(super) extent: f64,
    view: View,
    unit: f64,
}

/// A place, if it can be drawn.
pub(super) fn point(place: [f64; 3]) -> Option<DVec3> {
    place.iter().all(|x| x.abs() < FARTHEST).then(|| DVec3::from_array(place))
}

/// The unit vector of a direction, if it has one.
pub(super) fn unit(direction: [f64; 3]) -> Option<DVec3> {
    let direction = DVec3::from_array(direction);
    (direction.is_finite() && direction.abs().max_element() < 1e150).then_some(direction)?.try_normalize()
}

impl Stage {
    /// Fits camera and scales to all drawings together.
    pub(super) fn fit(drawings: &[Drawing], view: &View) -> Result<Self, PictureError> {
        let (width, height) = view.size;
        if !((64..=8192).contains(&width) && (64..=8192).contains(&height)) {
            return Err(PictureError::Size { width, height });
        }
        let size = f64::from(height.min(width * 5 / 8)) / 800.0;
        // Texts stay readable in small pictures.
        let unit_size = if size < 1.0 { size.powf(0.6) } else { size };

        let mut balls: Vec<(DVec3, f64)> = drawings.iter().flat_map(balls_of).collect();
        if let Some((low, high)) = stage_of(drawings) {
            balls.retain(|(place, _)| is_within(*place, low, high));
        }
        if balls.is_empty() {
            balls = vec![(DVec3::ZERO, 0.5)];
        }
        let (low, high) = box_of(&balls);
        let mut extent = (high - low).max_element();
        if extent < 1e-12 {
            extent = 1.0;
            balls.push((middle_of(&balls), 0.5));
        }
        let direction = view.direction.and_then(unit).unwrap_or_else(|| good_direction(&balls));

        let forces = drawings.iter().flat_map(|drawing| &drawing.arrows).filter_map(force);
        let largest = forces.map(DVec3::length).fold(0.0, f64::max);
        let arrow_scale = if largest > 0.0 { ARROW * extent / largest } else { 0.0 };
        for arrow in drawings.iter().flat_map(|drawing| &drawing.arrows) {
            if let (Some(place), Some(force)) = (point(arrow.place), force(arrow)) {
                balls.push((place + force * arrow_scale, 0.0));
            }
        }
        for marker in drawings.iter().flat_map(|drawing| &drawing.markers) {
            balls.extend(marker::outline(marker, extent).into_iter().map(|place| (place, 0.0)));
        }
        for drawing in drawings {
            balls.extend(
                marker::patches(&drawing.markers, extent).into_iter().flatten().map(|place| (place, 0.0)),
            );
        }

        // On the floor if there is one, on the ground of the world if the structure stands near it, otherwise
        // just below the structure.
        let stands = low.z > -1e-3 * extent && low.z < 0.2 * extent;
        let beneath = if stands { low.z.min(0.0) } else { low.z - 0.06 * extent };
        let floor = drawings.iter().find_map(|drawing| drawing.floor).filter(|z| z.is_finite());
        let floor = floor.unwrap_or(beneath);
        let middle = (low + high) / 2.0;
        let ground = Ground {
            middle: DVec3::new(middle.x, middle.y, floor),
            reach: 1.15 * extent,
            spacing: nice_step(extent / 9.0),
        };

        if view.ground {
            // The camera includes the shadows.
            let below = |(place, radius): &(DVec3, f64)| (place.with_z(floor), *radius);
            balls.extend(balls.iter().map(below).collect::<Vec<_>>());
        }

        let bar = drawings.iter().any(|drawing| drawing.colour_bar.is_some());
        let (width, height) = (f64::from(width), f64::from(height));
        let frame = Frame {
            left: 75.0 * unit_size,
            right: width - if bar { 165.0 } else { 75.0 } * unit_size,
            top: 85.0 * unit_size,
            bottom: height - 72.0 * unit_size,
            height,
        };
        Ok(Self {
            camera: Camera::fit(&balls, direction, frame),
            ground,
            range: range_of(drawings),
            arrow_scale,
            extent,
            view: *view,
            unit: unit_size,
        })
    }

    /// Size of a unit of the picture, pixels.
    #[cfg(test)]
    pub(super) fn unit(&self) -> f64 {
        self.unit
    }

    /// Draws one frame: ground, guides, earlier states, shapes, symbols, forces, texts.
    pub(super) fn render(&self, drawing: &Drawing) -> Result<Canvas, PictureError> {
        let (width, height) = self.view.size;
        let pixmap = Pixmap::new(width, height).ok_or(PictureError::Size { width, height })?;
        let mut canvas = Canvas { pixmap, unit: self.unit };
        canvas.background(colour::SKY, colour::EARTH);
        if self.view.ground {
            self.ground.grid(&mut canvas, &self.camera);
            self.ground.shadows(&mut canvas, &self.camera, &shadows_of(drawing));
        }
        let new_layer = |fine| Layer::new(width as usize, height as usize, self.unit, fine);
        if !drawing.scenery.is_empty() {
            let mut layer = new_layer(FINE);
            self.meshes(&mut layer, &drawing.scenery);
            self.edges(&mut layer, &drawing.scenery);
            layer.lay_over(&mut canvas);
        }
        marker::draw_planes(&mut canvas, self, &drawing.markers);
        for marker in &drawing.markers {
            marker::draw_behind(&mut canvas, self, marker);
        }
        for trail in &drawing.trails {
            canvas.line(&self.places(trail), Pen::new(colour::SOFT_INK, 1.3).alpha(0.55));
        }
        if !drawing.ghosts.is_empty() || !drawing.ghost_meshes.is_empty() {
            let mut layer = new_layer(PALE);
            self.hide_behind(&mut layer, &drawing.scenery);
            for edge in drawing.ghost_meshes.iter().flat_map(Mesh::lines) {
                layer.edge(&self.camera, edge, colour::PALE_EDGE, EDGE * self.unit.max(0.6));
            }
            let count = drawing.ghosts.len() as f32;
            // Beside rods coloured by a quantity, plain colours would be misread.
            let kinds = if drawing.tubes.iter().any(|tube| !tube.value.is_empty()) {
                1
            } else {
                drawing.tubes.len().max(1)
            };
            for (index, ghost) in drawing.ghosts.iter().enumerate() {
                let alpha = 0.12 + 0.30 * (index + 1) as f32 / count;
                self.tube(&mut layer, ghost, index % kinds, alpha);
            }
            layer.lay_over(&mut canvas);
        }
        self.lines(&mut canvas, drawing, |kind| kind != LineKind::Torsion);
        let mut layer = new_layer(FINE);
        self.hide_behind(&mut layer, &drawing.scenery);
        self.shapes(&mut layer, drawing);
        layer.lay_over(&mut canvas);
        self.lines(&mut canvas, drawing, |kind| kind == LineKind::Torsion);
        for marker in &drawing.markers {
            marker::draw_in_front(&mut canvas, self, marker);
        }
        let pointers: Vec<Option<Place>> =
            drawing.gauges.iter().map(|of| gauge::draw(&mut canvas, self, of)).collect();
        let tips: Vec<Option<Place>> =
            drawing.arrows.iter().map(|arrow| self.arrow(&mut canvas, arrow)).collect();
        legend::draw(&mut canvas, self, drawing);
        self.labels(&mut canvas, drawing, [&tips, &pointers]);
        Ok(canvas)
    }

    /// Writes the names of markers and forces, and the texts of gauges, so that they cover neither each other
    /// nor the legend. `tips` are those of the arrows, `pointers` those of the gauges.
    fn labels(&self, canvas: &mut Canvas, drawing: &Drawing, [tips, pointers]: [&[Option<Place>]; 2]) {
        let mut labels = Labels::default();
        legend::areas(canvas, drawing).into_iter().for_each(|area| labels.keep_free(area));
        for tube in &drawing.tubes {
            labels.avoid(&self.places(&tube.points), self.unit);
        }
        let markers: Vec<(&Marker, Place)> = drawing
            .markers
            .iter()
            .filter_map(|marker| Some((marker, *self.places(&[marker.place]).first()?)))
            .collect();
        for (marker, place) in &markers {
            labels.keep_free(marker::area(marker, *place, self.unit));
        }
        for (arrow, tip) in drawing.arrows.iter().zip(tips) {
            if let (Some(&from), Some(tip)) = (self.places(&[arrow.place]).first(), *tip) {
                labels.avoid(&[from, tip], self.unit);
            }
        }
        for (marker, place) in markers {
            // The label goes beside a ball that the marker holds, not on it.
            let on = drawing
                .spheres
                .iter()
                .filter(|sphere| sphere.centre == marker.place)
                .map(|sphere| sphere.radius);
            let gap = on.fold(0.0, f64::max) * self.camera.scale();
            labels.write(canvas, &marker.label, place, gap, colour::INK);
        }
        for (arrow, tip) in drawing.arrows.iter().zip(tips) {
            if let Some(tip) = tip {
                labels.write(canvas, &arrow.label, *tip, 0.0, colour::FORCE);
            }
        }
        for (gauge, tip) in drawing.gauges.iter().zip(pointers) {
            if let Some(tip) = tip {
                labels.write(canvas, &gauge.label, *tip, 0.0, colour::GUIDE);
            }
        }
    }

    /// Projected points; those that can't be projected are left out.
    fn places(&self, points: &[[f64; 3]]) -> Vec<Place> {
        points
            .iter()
            .filter_map(|place| self.camera.see(point(*place)?))
            .map(|seen| (seen.x, seen.y))
            .collect()
    }

    fn meshes(&self, layer: &mut Layer, meshes: &[Mesh]) {
        for mesh in meshes {
            let colour = mesh.colour.map_or(colour::SURFACE, colour::from_bytes);
            for (face, normals) in mesh.smooth_faces() {
                layer.triangle(&self.camera, face, normals, colour);
            }
        }
    }

    /// Edges are compared with the depths of all shapes, so they come last.
    fn edges(&self, layer: &mut Layer, meshes: &[Mesh]) {
        for edge in meshes.iter().flat_map(Mesh::lines) {
            layer.edge(&self.camera, edge, colour::EDGE, EDGE * self.unit.max(0.6));
        }
    }

    /// Hides later lines behind meshes that are on the canvas already.
    fn hide_behind(&self, layer: &mut Layer, meshes: &[Mesh]) {
        if !meshes.is_empty() {
            self.meshes(layer, meshes);
            layer.clear();
        }
    }

    fn shapes(&self, layer: &mut Layer, drawing: &Drawing) {
        self.meshes(layer, &drawing.meshes);
        for (index, tube) in drawing.tubes.iter().enumerate() {
            self.tube(layer, tube, index, 1.0);
        }
        for sphere in &drawing.spheres {
            if let Some(place) = point(sphere.centre) {
                let colour = sphere.colour.map_or(colour::MASS, colour::from_bytes);
                let radius = if sphere.radius.is_finite() { sphere.radius.max(0.0) } else { 0.0 };
                let knot = Knot { place, radius, colour, tangent: DVec3::ZERO };
                layer.ball(&self.camera, knot, 1.0);
            }
        }
        self.edges(layer, &drawing.meshes);
    }

    /// Draws a tube, interrupted at points that are not finite.
    fn tube(&self, layer: &mut Layer, tube: &Tube, index: usize, alpha: f32) {
        let mut knots: Vec<Knot> = Vec::with_capacity(tube.points.len());
        for (i, place) in tube.points.iter().enumerate() {
            match point(*place) {
                Some(place) => knots.push(Knot {
                    place,
                    radius: tube.radius_at(i),
                    colour: self.tube_colour(tube, index, i),
                    tangent: DVec3::ZERO,
                }),
                None => {
                    finish(layer, &self.camera, &mut knots, alpha);
                    knots.clear();
                }
            }
        }
        finish(layer, &self.camera, &mut knots, alpha);
    }

    fn tube_colour(&self, tube: &Tube, index: usize, at: usize) -> Rgb {
        match (tube.value.get(at), self.range) {
            (Some(value), Some((low, high))) => colour::map((value - low) / (high - low)),
            (Some(_), None) => colour::UNKNOWN,
            (None, _) => tube.colour.map_or(colour::TUBES[index % colour::TUBES.len()], colour::from_bytes),
        }
    }

    fn lines(&self, canvas: &mut Canvas, drawing: &Drawing, chosen: impl Fn(LineKind) -> bool) {
        for line in drawing.lines.iter().filter(|line| chosen(line.kind)) {
            let seen = |place| point(place).and_then(|place| self.camera.see(place));
            let (Some(a), Some(b)) = (seen(line.from), seen(line.to)) else {
                continue;
            };
            let (a, b) = ((a.x, a.y), (b.x, b.y));
            let pen = Pen::new(colour::INK, 2.0);
            match line.kind {
                LineKind::Link => canvas.line(&[a, b], pen),
                LineKind::Dashed => canvas.line(&[a, b], pen.dashed(7.0)),
                LineKind::Spring => marker::spring(canvas, a, b),
                LineKind::Torsion => marker::spiral(canvas, a, b),
            }
        }
    }

    /// Draws a force and returns the place of its tip.
    fn arrow(&self, canvas: &mut Canvas, arrow: &Arrow) -> Option<Place> {
        let (place, force) = (point(arrow.place)?, force(arrow)?);
        let (from, tip) = (self.camera.see(place)?, self.camera.see(place + force * self.arrow_scale)?);
        marker::arrow(canvas, (from.x, from.y), (tip.x, tip.y));
        (force != DVec3::ZERO).then_some((tip.x, tip.y))
    }
}

/// Knots closer to each other than this share of the radius, or this many pixels, are not distinguishable.
const NEAR_RADII: f64 = 0.3;
const NEAR_PIXELS: f64 = 0.6;

/// Removes knots close to the previous one, except the first and the last.
fn thin_out(camera: &Camera, knots: &mut Vec<Knot>) {
    let last = knots.len().saturating_sub(1);
    let mut kept: Option<Knot> = None;
    let mut index = 0;
    knots.retain(|knot| {
        let near = kept.is_some_and(|kept| {
            let least = (NEAR_RADII * knot.radius).max(NEAR_PIXELS / camera.scale());
            kept.place.distance(knot.place) < least
        });
        let keep = index == last || !near;
        index += 1;
        if keep {
            kept = Some(*knot);
        }
        keep
    });
}

/// Computes the tangents of the knots and draws the tube.
fn finish(layer: &mut Layer, camera: &Camera, knots: &mut Vec<Knot>, alpha: f32) {
    thin_out(camera, knots);
    for i in 0..knots.len() {
        let before = knots[i.saturating_sub(1)].place;
        let after = knots[(i + 1).min(knots.len() - 1)].place;
        knots[i].tangent = (after - before).normalize_or_zero();
    }
    layer.tube(camera, knots, alpha);
}

fn force(arrow: &Arrow) -> Option<DVec3> {
    let force = DVec3::from_array(arrow.force);
    (force.is_finite() && force.abs().max_element() < 1e100).then_some(force)
}

/// How far an object may leave the box of the initial state and still be followed, in extents of the box.
const LEFT: f64 = 2.0;

/// The box that the camera shows if some objects stay near the initial state and others leave it, such as a
/// mass that falls away from a structure; otherwise `None`. A view of all would show the others too small.
fn stage_of(drawings: &[Drawing]) -> Option<(DVec3, DVec3)> {
    let (first, last) = (drawings.first()?, drawings.last()?);
    let early = first.ghosts.get(..first.tubes.len()).unwrap_or(&first.tubes);
    let starts = first.trails.iter().filter_map(|trail| trail.first());
    let balls = early.iter().flat_map(|tube| &tube.points).chain(starts);
    let still = first.spheres.iter().map(|sphere| &sphere.centre).filter(|_| first.trails.is_empty());
    let marked = first.markers.iter().map(|marker| &marker.place);
    let places: Vec<(DVec3, f64)> =
        balls.chain(still).chain(marked).filter_map(|place| Some((point(*place)?, 0.0))).collect();
    if places.is_empty() {
        return None;
    }
    let (low, high) = box_of(&places);
    let room = DVec3::splat(LEFT * (high - low).max_element().max(1e-12));
    let (low, high) = (low - room, high + room);
    let here = |places: &[[f64; 3]]| {
        places.iter().filter_map(|place| point(*place)).any(|place| is_within(place, low, high))
    };
    let tubes = last.tubes.iter().map(|tube| here(&tube.points));
    let mut all = tubes.chain(last.spheres.iter().map(|sphere| here(&[sphere.centre])));
    let one = all.next()?;
    all.any(|other| other != one).then_some((low, high))
}

fn is_within(place: DVec3, low: DVec3, high: DVec3) -> bool {
    place.cmpge(low).all() && place.cmple(high).all()
}

/// Centres and radii that the camera has to include.
fn balls_of(drawing: &Drawing) -> Vec<(DVec3, f64)> {
    let mut balls = Vec::new();
    for tube in drawing.tubes.iter().chain(&drawing.ghosts) {
        let places = tube.points.iter().enumerate();
        balls.extend(places.filter_map(|(i, place)| Some((point(*place)?, tube.radius_at(i)))));
    }
    for sphere in &drawing.spheres {
        let radius = if sphere.radius.is_finite() { sphere.radius.abs() } else { 0.0 };
        balls.extend(point(sphere.centre).map(|centre| (centre, radius)));
    }
    let mut add = |place: [f64; 3]| balls.extend(point(place).map(|place| (place, 0.0)));
    drawing.trails.iter().flatten().for_each(|place| add(*place));
    let meshes = drawing.meshes.iter().chain(&drawing.scenery).chain(&drawing.ghost_meshes);
    meshes.flat_map(|mesh| &mesh.vertices).for_each(|place| add(*place));
    for line in &drawing.lines {
        add(line.from);
        add(line.to);
    }
    drawing.arrows.iter().for_each(|arrow| add(arrow.place));
    drawing.gauges.iter().for_each(|gauge| add(gauge.place));
    for marker in &drawing.markers {
        add(marker.place);
        match &marker.kind {
            MarkerKind::Sphere { centre } | MarkerKind::Distance { centre } => add(*centre),
            MarkerKind::Circle { centre, normal, radius } => {
                marker::circle(*centre, *normal, *radius).into_iter().for_each(|p| add(p.into()));
            }
            MarkerKind::Curve { points } => points.iter().for_each(|place| add(*place)),
            _ => {}
        }
    }
    balls
}

/// Lowest and highest value of all tubes, or the range that a drawing sets.
fn range_of(drawings: &[Drawing]) -> Option<(f64, f64)> {
    let asked = drawings.iter().find_map(|drawing| drawing.colour_bar.as_ref()?.range);
    let tubes = drawings.iter().flat_map(|drawing| drawing.tubes.iter().chain(&drawing.ghosts));
    let values = tubes.flat_map(|tube| &tube.value).filter(|value| value.abs() < 1e300);
    let found = values
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(*value), high.max(*value)));
    let usable = |(low, high): &(f64, f64)| low.is_finite() && high.is_finite() && low <= high;
    let (low, high) = asked.filter(usable).or(Some(found).filter(usable))?;
    let scale = low.abs().max(high.abs());
    if high - low > 1e-9 * scale && high - low > 1e-290 {
        return Some((low, high));
    }
    // A single value lies in the middle of the scale.
    let room = if scale > 1e-290 { 0.1 * scale } else { 1.0 };
    Some((low - room, high + room))
}

fn shadows_of(drawing: &Drawing) -> Vec<Shadow> {
    let tubes = drawing.tubes.iter().map(|tube| {
        let line = tube.points.iter().filter_map(|place| point(*place)).collect();
        Shadow::Round(line, tube.radius_at(0))
    });
    let spheres = drawing.spheres.iter().map(|sphere| {
        let radius = if sphere.radius.is_finite() { sphere.radius.max(0.0) } else { 0.0 };
        Shadow::Round(point(sphere.centre).into_iter().collect(), radius)
    });
    let meshes = drawing.meshes.iter().chain(&drawing.scenery);
    let meshes = meshes.flat_map(|mesh| mesh.faces().map(Shadow::Flat));
    tubes.chain(spheres).chain(meshes).collect()
}
