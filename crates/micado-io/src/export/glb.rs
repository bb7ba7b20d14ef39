//! The container of binary glTF: arrays of numbers in one buffer, and the JSON that says what they mean.

use super::ExportError;
use serde_json::{Value, json};

/// Number type of an accessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Component {
    UnsignedShort = 5123,
    UnsignedInt = 5125,
    Float = 5126,
}

/// Purpose of a view of the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Attributes of vertices.
    Vertices,
    /// Corners of triangles.
    Triangles,
    /// Times, motions and matrices.
    Other,
}

/// A buffer with views and accessors.
#[derive(Default)]
pub(super) struct Arrays {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Arrays {
    /// Adds floats, grouped by `kind` (`SCALAR`, `VEC3`, `VEC4`, `MAT4`), with their bounds; returns the
    /// accessor.
    pub(super) fn floats(&mut self, kind: &str, numbers: &[f32], used: Use) -> usize {
        let width = match kind {
            "SCALAR" => 1,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let bound = |pick: fn(f32, f32) -> f32, start: f32| -> Vec<f32> {
            (0..width).map(|k| numbers.iter().skip(k).step_by(width).copied().fold(start, pick)).collect()
        };
        let (least, most) = (bound(f32::min, f32::INFINITY), bound(f32::max, f32::NEG_INFINITY));
        let view = self.view(numbers.iter().flat_map(|number| number.to_le_bytes()), used);
        self.accessor(json!({"bufferView": view, "componentType": Component::Float as u32,
            "count": numbers.len() / width, "type": kind, "min": least, "max": most}))
    }

    /// Adds corners of triangles; returns the accessor.
    pub(super) fn indices(&mut self, numbers: &[u32]) -> usize {
        let view = self.view(numbers.iter().flat_map(|number| number.to_le_bytes()), Use::Triangles);
        self.accessor(json!({"bufferView": view, "componentType": Component::UnsignedInt as u32,
            "count": numbers.len(), "type": "SCALAR"}))
    }

    /// Adds four joints for each vertex; returns the accessor.
    pub(super) fn joints(&mut self, numbers: &[[u16; 4]]) -> usize {
        let view = self.view(numbers.iter().flatten().flat_map(|number| number.to_le_bytes()), Use::Vertices);
        self.accessor(json!({"bufferView": view, "componentType": Component::UnsignedShort as u32,
            "count": numbers.len(), "type": "VEC4"}))
    }

    fn accessor(&mut self, accessor: Value) -> usize {
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn view(&mut self, bytes: impl Iterator<Item = u8>, used: Use) -> usize {
        let offset = self.bytes.len();
        self.bytes.extend(bytes);
        let length = self.bytes.len() - offset;
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let mut view = json!({"buffer": 0, "byteOffset": offset, "byteLength": length});
        match used {
            Use::Vertices => view["target"] = json!(34962),
            Use::Triangles => view["target"] = json!(34963),
            Use::Other => {}
        }
        self.views.push(view);
        self.views.len() - 1
    }

    /// The file: header, JSON and buffer.
    pub(super) fn finish(self, mut root: Value) -> Result<Vec<u8>, ExportError> {
        root["buffers"] = json!([{"byteLength": self.bytes.len()}]);
        root["bufferViews"] = Value::Array(self.views);
        root["accessors"] = Value::Array(self.accessors);
        let mut words = root.to_string().into_bytes();
        words.resize(words.len().next_multiple_of(4), b' ');
        let total = 12 + 8 + words.len() + 8 + self.bytes.len();
        let count = |length: usize| {
            u32::try_from(length)
                .map(u32::to_le_bytes)
                .map_err(|_| ExportError::TooLarge("a glTF file can't have more than 4 GiB".to_owned()))
        };
        let mut file = Vec::with_capacity(total);
        file.extend_from_slice(b"glTF");
        file.extend_from_slice(&2_u32.to_le_bytes());
        file.extend_from_slice(&count(total)?);
        for (kind, chunk) in [(b"JSON", &words), (b"BIN\0", &self.bytes)] {
            file.extend_from_slice(&count(chunk.len())?);
            file.extend_from_slice(kind);
            file.extend_from_slice(chunk);
        }
        Ok(file)
    }
}
