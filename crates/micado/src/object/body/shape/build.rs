//! From a description to the matter and the surface.

use super::check::{Checked, MeshFault, check_drawn, check_mesh};
use super::hull::{HullFault, hull};
use super::integrals::{Integrals, mesh_integrals};
use super::primitive::{self, DRAWN, Facets};
use super::solid::{Solid, TurnedMesh};
use super::surface::Surface;
use super::{Compound, Hull, Mesh, Shape};
use crate::error::{BuildError, check};
use crate::geometry::rotation;
use crate::geometry::skin::{self, Form, Pose};
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// Compounds may be nested this deep.
const DEEPEST: usize = 16;

/// Parts of a shape that are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    /// Its matter and its surface.
    Matter,
    /// Its surface alone, for drawing.
    Surface,
}

impl Shape {
    /// The matter and the surface, in the axes of the shape. `path` names the shape in errors, for example
    /// `body.crate.shape`.
    ///
    /// # Errors
    /// A size that is not positive, points without volume, a mesh that is not the closed surface of a solid,
    /// a mesh whose file was not read, an empty compound.
    pub fn solid(&self, path: &str) -> Result<Solid, BuildError> {
        self.within(path, Need::Matter)
    }

    /// The surface and the meshes that were turned, in the axes of the shape. Meshes need not be closed.
    ///
    /// # Errors
    /// As for [`Shape::solid`]; but a mesh is refused only if corners don't exist or are not finite.
    pub fn drawn(&self, path: &str) -> Result<(Surface, Vec<TurnedMesh>), BuildError> {
        self.within(path, Need::Surface).map(|solid| (solid.surface, solid.turned))
    }

    fn within(&self, path: &str, need: Need) -> Result<Solid, BuildError> {
        let mut solid = self.build(0, need).map_err(|error| error.within(path))?;
        solid.turned.iter_mut().for_each(|mesh| *mesh = mesh.within(path));
        Ok(solid)
    }

    /// Whether a half-space or ground is part of it.
    pub fn is_endless(&self) -> bool {
        match self {
            Self::HalfSpace(_) | Self::HeightField(_) => true,
            Self::Compound(compound) => compound.parts.iter().any(|part| part.shape.is_endless()),
            _ => false,
        }
    }

    fn build(&self, depth: usize, need: Need) -> Result<Solid, BuildError> {
        let simple =
            |matter, (vertices, triangles): Facets| Solid::plain(matter, Surface::new(&vertices, triangles));
        Ok(match self {
            Self::Sphere(sphere) => {
                let r = check::positive("sphere.radius", sphere.radius)?;
                simple(primitive::sphere(r), primitive::sphere_facets(r, DRAWN))
                    .covered(Form::Sphere { radius: r })
            }
            Self::Box(cuboid) => {
                for (k, size) in cuboid.size.into_iter().enumerate() {
                    check::positive(&format!("box.size[{k}]"), size)?;
                }
                let size = DVec3::from_array(cuboid.size);
                simple(primitive::cuboid(size), primitive::cuboid_facets(size))
                    .covered(Form::Box { half: 0.5 * size })
            }
            Self::Capsule(capsule) => {
                let r = check::positive("capsule.radius", capsule.radius)?;
                let l = check::positive("capsule.length", capsule.length)?;
                simple(primitive::capsule(r, l), primitive::capsule_facets(r, l, DRAWN))
                    .covered(Form::Capsule { radius: r, half: 0.5 * l })
            }
            Self::Cylinder(cylinder) => {
                let r = check::positive("cylinder.radius", cylinder.radius)?;
                let l = check::positive("cylinder.length", cylinder.length)?;
                simple(primitive::cylinder(r, l), primitive::cylinder_facets(r, l, DRAWN))
                    .covered(Form::Cylinder { radius: r, half: 0.5 * l })
            }
            Self::Cone(cone) => {
                let r = check::positive("cone.radius", cone.radius)?;
                let l = check::positive("cone.length", cone.length)?;
                simple(primitive::cone(r, l), primitive::cone_facets(r, l, DRAWN))
                    .covered(Form::Cone { radius: r, half: 0.5 * l })
            }
            Self::HalfSpace(_) => {
                let plane = simple(Integrals::NONE, primitive::half_space_facets());
                Solid { endless: true, ..plane.covered(Form::HalfSpace) }
            }
            Self::HeightField(heights) => heights.build()?,
            Self::Hull(hull) => hull.build()?,
            Self::Mesh(mesh) => mesh.build(need)?,
            Self::Compound(compound) => compound.build(depth, need)?,
        })
    }
}

impl Hull {
    fn build(&self) -> Result<Solid, BuildError> {
        let mut points = Vec::with_capacity(self.points.len());
        for (k, &point) in self.points.iter().enumerate() {
            points.push(check::finite_vector(&format!("hull.points[{k}]"), point)?);
        }
        let (vertices, triangles) = hull(&points).map_err(|fault| {
            let (problem, remedy) = match fault {
                HullFault::Few => {
                    let problem = format!("{} points have no volume", points.len());
                    (problem, "give at least four points that are not in one plane")
                }
                HullFault::Flat => {
                    let problem = format!("all {} points are in one plane", points.len());
                    (problem, "add a point outside of the plane")
                }
                HullFault::Rounding => {
                    let problem =
                        "many points are nearly in one plane, and rounding hides which are outermost";
                    (problem.to_owned(), "remove points that are nearly in the plane of others")
                }
            };
            BuildError::new("hull.points", problem, remedy)
        })?;
        let form = match skin::Hull::new(&vertices, &triangles) {
            Some(hull) => Some(Form::Hull(Arc::new(hull))),
            None => closed_form(&vertices, &triangles),
        };
        let solid = Solid::plain(mesh_integrals(&vertices, &triangles), Surface::new(&vertices, triangles));
        Ok(form.into_iter().fold(solid, Solid::covered))
    }
}

impl Mesh {
    fn build(&self, need: Need) -> Result<Solid, BuildError> {
        let field = |inline: &str| format!("mesh.{}", if self.file.is_some() { "file" } else { inline });
        // Files are named in the problem; inline data are found by their path.
        let named = |problem: String| match &self.file {
            Some(file) => format!("`{file}`: {problem}"),
            None => problem,
        };
        if self.is_unread() {
            let problem = named("the file of the mesh was not read".to_owned());
            let remedy = "read the scene with micado-io, or give `vertices` and `triangles`";
            return Err(BuildError::new("mesh.file", problem, remedy));
        }
        if let Some(scale) = self.scale {
            check::positive("mesh.scale", scale)?;
        }
        let metres = self.metres();
        let vertices: Vec<DVec3> = self.vertices.iter().map(|&x| DVec3::from_array(x) * metres).collect();
        let checked = if need == Need::Matter { check_mesh } else { check_drawn };
        let Checked { triangles, turned } =
            checked(&vertices, &self.triangles).map_err(|fault: MeshFault| {
                let field = field(if fault.of_vertices { "vertices" } else { "triangles" });
                BuildError::new(field, named(fault.problem), fault.remedy)
            })?;
        let matter = mesh_integrals(&vertices, &triangles);
        let form = if need == Need::Matter { closed_form(&vertices, &triangles) } else { None };
        let plain = Solid::plain(matter, Surface::new(&vertices, triangles));
        let mut solid = form.into_iter().fold(plain, Solid::covered);
        if turned {
            solid.turned.push(TurnedMesh { path: "mesh".to_owned(), file: self.file.clone() });
        }
        Ok(solid)
    }
}

impl Compound {
    fn build(&self, depth: usize, need: Need) -> Result<Solid, BuildError> {
        let refuse = |problem: &str, remedy: &str| Err(BuildError::new("compound.parts", problem, remedy));
        if self.parts.is_empty() {
            return refuse("the compound has no parts", "give at least one part");
        }
        if depth >= DEEPEST {
            return refuse("compounds are nested too deep", "give all parts in one list");
        }
        let mut whole = Solid::plain(Integrals::NONE, Surface::default());
        let mut geometry = Integrals::NONE;
        for (k, part) in self.parts.iter().enumerate() {
            let path = format!("compound.parts[{k}]");
            let solid =
                part.shape.build(depth + 1, need).map_err(|error| error.within(&format!("{path}.shape")))?;
            let position = check::finite_vector(&format!("{path}.position"), part.position)?;
            let turn = check::finite_vector(&format!("{path}.rotation"), part.rotation)?;
            let r: DMat3 = rotation::exp(turn);
            let (mut plain, mut weighted) = (solid.plain, solid.weighted);
            if let Some(density) = part.density {
                check::positive(&format!("{path}.density"), density)?;
                // Inner parts with a density keep theirs.
                weighted = plain.times(density).plus(weighted);
                plain = Integrals::NONE;
            }
            geometry = geometry.plus(solid.geometry().placed(r, position));
            whole.plain = whole.plain.plus(plain.placed(r, position));
            whole.weighted = whole.weighted.plus(weighted.placed(r, position));
            let pose = Pose::new(position, rotation::rotation_of(turn));
            whole.skin.extend(solid.skin.iter().map(|inner| inner.placed(&pose)));
            whole.endless |= solid.endless;
            whole.turned.extend(solid.turned.iter().map(|mesh| mesh.within(&format!("{path}.shape"))));
            if whole.surface.add(&solid.surface, r, position).is_none() {
                return refuse("the parts have more than 4 billion vertices", "give fewer or coarser parts");
            }
        }
        whole.volume = geometry.amount;
        whole.centre = geometry.centre;
        whole.moments = geometry.moments;
        Ok(whole)
    }
}

/// The skin of a closed surface.
fn closed_form(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Option<Form> {
    skin::Mesh::new(vertices, triangles, true).map(|mesh| Form::Mesh(Arc::new(mesh)))
}
