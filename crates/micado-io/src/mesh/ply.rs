//! PLY: a head that lists elements and their properties, then their values as text or binary numbers.
//!
//! Vertices are the element `vertex` with `x`, `y`, `z`; polygons the element `face` with the list
//! `vertex_indices` or `vertex_index`. Everything else is skipped.

use super::lines::{number, shown, words};
use super::polygon::MOST_CORNERS;
use super::{Builder, Fault, MOST, MeshData};

/// Longest line of a head, and most lines.
const LONGEST_LINE: usize = 4096;
const MOST_LINES: usize = 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Kind {
    fn named(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

struct Property {
    name: Vec<u8>,
    /// Kind of the number of entries, for lists.
    list: Option<Kind>,
    kind: Kind,
}

struct Element {
    name: Vec<u8>,
    count: usize,
    properties: Vec<Property>,
}

impl Element {
    fn position(&self, name: &[u8]) -> Option<usize> {
        self.properties.iter().position(|property| property.name == name)
    }
}

pub(super) fn read(bytes: &[u8]) -> Result<MeshData, Fault> {
    let mut values = Values { encoding: Encoding::Text, bytes, at: 0, line: 1 };
    let elements = head(&mut values)?;
    let mut builder = Builder::default();
    let mut numbers: Vec<u32> = Vec::new();
    let mut has_faces = false;
    for element in &elements {
        if element.properties.is_empty() {
            continue;
        }
        match element.name.as_slice() {
            b"vertex" => read_vertices(&mut values, element, &mut builder, &mut numbers)?,
            b"face" => {
                has_faces = true;
                read_faces(&mut values, element, &mut builder, &numbers)?;
            }
            // Elements after the faces are not needed.
            _ if has_faces => break,
            _ => {
                for _ in 0..element.count {
                    for property in &element.properties {
                        values.skip(property)?;
                    }
                }
            }
        }
    }
    Ok(builder.data)
}

/// Reads the head, and leaves the place where the values begin.
fn head(values: &mut Values<'_>) -> Result<Vec<Element>, Fault> {
    let mut elements: Vec<Element> = Vec::new();
    let mut encoding = None;
    for _ in 0..MOST_LINES {
        let (line, text) = values.head_line()?;
        let parts: Vec<&[u8]> = words(text).collect();
        let wrong = |what: &str| Fault::damaged(format!("line {line}: `{}` {what}", shown(text)));
        match parts.as_slice() {
            [b"end_header"] => {
                values.encoding = encoding.ok_or_else(|| Fault::damaged("the head states no `format`"))?;
                return Ok(elements);
            }
            [b"format", kind, _] => {
                encoding = Some(match *kind {
                    b"ascii" => Encoding::Text,
                    b"binary_little_endian" => Encoding::LittleEndian,
                    b"binary_big_endian" => Encoding::BigEndian,
                    _ => return Err(wrong("is no known format")),
                });
            }
            [b"element", name, count] => {
                let count = std::str::from_utf8(count).ok().and_then(|text| text.parse::<usize>().ok());
                let count = count.ok_or_else(|| wrong("has no number of elements"))?;
                if count > MOST && matches!(*name, b"vertex" | b"face") {
                    return Err(Fault::too_many());
                }
                elements.push(Element { name: name.to_vec(), count, properties: Vec::new() });
            }
            [b"property", rest @ ..] => {
                let (list, kind, name) = match rest {
                    [b"list", length, kind, name] => (Some(*length), *kind, *name),
                    [kind, name] => (None, *kind, *name),
                    _ => return Err(wrong("is no property")),
                };
                let known = |word: &[u8]| Kind::named(word).ok_or_else(|| wrong("has an unknown type"));
                let list = list.map(known).transpose()?;
                let property = Property { name: name.to_vec(), list, kind: known(kind)? };
                elements
                    .last_mut()
                    .ok_or_else(|| wrong("comes before an element"))?
                    .properties
                    .push(property);
            }
            [] | [b"ply" | b"comment" | b"obj_info", ..] => {}
            _ => return Err(wrong("is no line of a PLY head")),
        }
    }
    Err(Fault::damaged("the head has no `end_header`"))
}

fn read_vertices(
    values: &mut Values<'_>,
    element: &Element,
    builder: &mut Builder,
    numbers: &mut Vec<u32>,
) -> Result<(), Fault> {
    let places = [b"x", b"y", b"z"].map(|name| element.position(name));
    let [Some(x), Some(y), Some(z)] = places else {
        return Err(Fault::damaged("vertices have no `x`, `y` and `z`"));
    };
    for k in 0..element.count {
        let mut place = [0.0; 3];
        for (i, property) in element.properties.iter().enumerate() {
            let component = [x, y, z].iter().position(|&position| position == i);
            match component {
                Some(component) if property.list.is_none() => place[component] = values.one(property.kind)?,
                _ => values.skip(property)?,
            }
        }
        if place.iter().any(|component| !component.is_finite()) {
            return Err(Fault::damaged(format!("vertex {k} has a coordinate that is not finite")));
        }
        numbers.push(builder.vertex(place)?);
    }
    Ok(())
}

fn read_faces(
    values: &mut Values<'_>,
    element: &Element,
    builder: &mut Builder,
    numbers: &[u32],
) -> Result<(), Fault> {
    let list = element.position(b"vertex_indices").or_else(|| element.position(b"vertex_index"));
    let Some(list) = list.filter(|&k| element.properties[k].list.is_some()) else {
        return Err(Fault::damaged("faces have no list `vertex_indices`"));
    };
    let mut corners = Vec::new();
    for k in 0..element.count {
        for (i, property) in element.properties.iter().enumerate() {
            let (Some(length), true) = (property.list, i == list) else {
                values.skip(property)?;
                continue;
            };
            corners.clear();
            // One more than allowed is refused below.
            for _ in 0..(values.whole(length)? as usize).min(MOST_CORNERS + 1) {
                let index = values.whole(property.kind)?;
                let known = usize::try_from(index).ok().and_then(|index| numbers.get(index));
                let known = known.ok_or_else(|| {
                    let count = numbers.len();
                    Fault::damaged(format!(
                        "face {k} has the corner {index}, but {count} vertices come before"
                    ))
                })?;
                corners.push(*known);
            }
        }
        if corners.len() < 3 {
            return Err(Fault::damaged(format!("face {k} has {} corners", corners.len())));
        }
        builder
            .polygon(&corners)
            .map_err(|fault| Fault { problem: format!("face {k}: {}", fault.problem), ..fault })?;
    }
    Ok(())
}

/// The values behind the head.
struct Values<'a> {
    encoding: Encoding,
    bytes: &'a [u8],
    at: usize,
    /// Line, for texts.
    line: usize,
}

impl<'a> Values<'a> {
    /// The next line of the head, with its number. Lines end with `\n`, `\r\n` or `\r`.
    fn head_line(&mut self) -> Result<(usize, &'a [u8]), Fault> {
        let rest = &self.bytes[self.at..];
        let searched = &rest[..rest.len().min(LONGEST_LINE)];
        let Some(end) = searched.iter().position(|&byte| byte == b'\n' || byte == b'\r') else {
            return Err(Fault::damaged(format!("line {}: the head has no `end_header`", self.line)));
        };
        let number = self.line;
        self.at += if rest[end..].starts_with(b"\r\n") { end + 2 } else { end + 1 };
        self.line += 1;
        Ok((number, rest[..end].trim_ascii()))
    }

    /// The next word of a text.
    fn word(&mut self) -> Result<&'a [u8], Fault> {
        let rest = &self.bytes[self.at..];
        let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.line += rest[..blanks].iter().filter(|&&byte| byte == b'\n').count();
        let length = rest[blanks..].iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
        if length == 0 {
            return Err(Fault::damaged(format!("line {}: the file ends too early", self.line)));
        }
        self.at += blanks + length;
        Ok(&rest[blanks..blanks + length])
    }

    /// The next bytes of a binary file, in little-endian order.
    fn chunk<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let Some(chunk) = self.bytes[self.at..].first_chunk::<N>() else {
            return Err(Fault::damaged(format!("byte {}: the file ends too early", self.bytes.len())));
        };
        self.at += N;
        let mut chunk = *chunk;
        if self.encoding == Encoding::BigEndian {
            chunk.reverse();
        }
        Ok(chunk)
    }

    /// The next number.
    fn one(&mut self, kind: Kind) -> Result<f64, Fault> {
        if self.encoding == Encoding::Text {
            let word = self.word()?;
            return number(Some(word), self.line);
        }
        Ok(match kind {
            Kind::I8 => f64::from(i8::from_le_bytes(self.chunk()?)),
            Kind::U8 => f64::from(u8::from_le_bytes(self.chunk()?)),
            Kind::I16 => f64::from(i16::from_le_bytes(self.chunk()?)),
            Kind::U16 => f64::from(u16::from_le_bytes(self.chunk()?)),
            Kind::I32 => f64::from(i32::from_le_bytes(self.chunk()?)),
            Kind::U32 => f64::from(u32::from_le_bytes(self.chunk()?)),
            Kind::F32 => f64::from(f32::from_le_bytes(self.chunk()?)),
            Kind::F64 => f64::from_le_bytes(self.chunk()?),
        })
    }

    /// The next number, which must be whole and not negative.
    fn whole(&mut self, kind: Kind) -> Result<u32, Fault> {
        let place = if self.encoding == Encoding::Text { "line" } else { "byte" };
        let at = if self.encoding == Encoding::Text { self.line } else { self.at };
        let value = self.one(kind)?;
        if value >= 0.0 && value <= f64::from(u32::MAX) && value.fract() == 0.0 {
            Ok(value as u32)
        } else {
            Err(Fault::damaged(format!("{place} {at}: {value} is no index or number of entries")))
        }
    }

    fn skip(&mut self, property: &Property) -> Result<(), Fault> {
        let count = match property.list {
            Some(length) => self.whole(length)? as usize,
            None => 1,
        };
        if self.encoding == Encoding::Text {
            for _ in 0..count {
                self.word()?;
            }
            return Ok(());
        }
        let end = count.checked_mul(property.kind.size()).and_then(|size| self.at.checked_add(size));
        match end {
            Some(end) if end <= self.bytes.len() => {
                self.at = end;
                Ok(())
            }
            _ => Err(Fault::damaged(format!("byte {}: the file ends too early", self.bytes.len()))),
        }
    }
}
