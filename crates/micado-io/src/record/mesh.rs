//! Triangle meshes: written once, referenced by the tables, and moved by the frames.
//!
//! ```text
//! payload   vertices u32  triangles u32  x y z f32 per vertex  three corners u32 per triangle
//!           two ends u32 per edge, up to the end
//! ```
//!
//! Meshes of version 2 have no edges.

use micado::object::body::Surface;

/// A surface of triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Corners in the axes of a body, m. If empty, the points of the object are the corners, as in a solid.
    pub vertices: Vec<[f32; 3]>,
    /// Corners of each triangle, by their index, counterclockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Ends of each sharp edge, which is drawn as a line, by their index.
    pub edges: Vec<[u32; 2]>,
}

/// Requirements of a mesh on the objects that use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MeshSize {
    pub vertices: u32,
    /// One more than the largest index of a corner or of the end of an edge.
    pub corners: u32,
}

impl From<&Surface> for Mesh {
    #[expect(clippy::cast_possible_truncation, reason = "what is drawn needs no more digits")]
    fn from(surface: &Surface) -> Self {
        Self {
            vertices: surface.vertices.iter().map(|vertex| vertex.map(|x| x as f32)).collect(),
            triangles: surface.triangles.clone(),
            edges: surface.edges.clone(),
        }
    }
}

impl Mesh {
    /// The same surface with coordinates of double precision.
    pub fn surface(&self) -> Surface {
        Surface {
            vertices: self.vertices.iter().map(|vertex| vertex.map(f64::from)).collect(),
            triangles: self.triangles.clone(),
            edges: self.edges.clone(),
        }
    }

    /// The problem, if the mesh can't be written.
    pub(super) fn problem(&self) -> Option<String> {
        let most = u32::MAX as usize;
        if self.vertices.len() > most || self.triangles.len() > most {
            return Some("a mesh has more than 4 billion parts".to_owned());
        }
        if self.vertices.iter().flatten().any(|x| !x.is_finite()) {
            return Some("a mesh has a vertex that is not finite".to_owned());
        }
        let MeshSize { vertices, corners } = self.size();
        (vertices > 0 && corners > vertices).then(|| {
            format!(
                "a mesh of {vertices} vertices has a triangle or an edge that names vertex {}",
                corners - 1
            )
        })
    }

    pub(super) fn size(&self) -> MeshSize {
        let largest = self.triangles.iter().flatten().chain(self.edges.iter().flatten()).max();
        MeshSize {
            vertices: u32::try_from(self.vertices.len()).unwrap_or(u32::MAX),
            corners: largest.map_or(0, |largest| largest.saturating_add(1)),
        }
    }

    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        for count in [self.vertices.len(), self.triangles.len()] {
            out.extend_from_slice(&u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
        }
        self.vertices.iter().flatten().for_each(|x| out.extend_from_slice(&x.to_le_bytes()));
        let corners = self.triangles.iter().flatten().chain(self.edges.iter().flatten());
        corners.for_each(|corner| out.extend_from_slice(&corner.to_le_bytes()));
    }

    /// `None` if the payload is not a mesh.
    pub(super) fn decode(payload: &[u8]) -> Option<Self> {
        let (head, rest) = payload.split_first_chunk::<8>()?;
        let words = |bytes: &[u8]| -> Vec<[u8; 4]> {
            bytes.chunks_exact(4).filter_map(|four| four.try_into().ok()).collect()
        };
        let counts: Vec<usize> =
            words(head).into_iter().map(|four| u32::from_le_bytes(four) as usize).collect();
        let size = |count: usize| count.checked_mul(12);
        let (vertices, rest) = rest.split_at_checked(size(counts[0])?)?;
        let (triangles, edges) = rest.split_at_checked(size(counts[1])?)?;
        if edges.len() % 8 != 0 {
            return None;
        }
        let mesh = Self {
            vertices: words(vertices)
                .chunks_exact(3)
                .map(|three| [0, 1, 2].map(|i| f32::from_le_bytes(three[i])))
                .collect(),
            triangles: words(triangles)
                .chunks_exact(3)
                .map(|three| [0, 1, 2].map(|i| u32::from_le_bytes(three[i])))
                .collect(),
            edges: words(edges)
                .chunks_exact(2)
                .map(|two| [0, 1].map(|i| u32::from_le_bytes(two[i])))
                .collect(),
        };
        mesh.problem().is_none().then_some(mesh)
    }
}
