//! The protocol in TypeScript: types of all messages and the layout of frames, for the page. They are
//! committed; the test below fails when they are stale.

mod types;

use super::answer::{Answer, Done};
use super::frame::{
    Array, ConstraintNumbers, ContactNumbers, GaugeNumbers, Head, LoadNumbers, MAGIC, NO_CHANNEL, PLAYING,
    SpringNumbers,
};
use super::layout::{Field, Number, Record};
use super::message::{Message, VERSION};
use super::request::Request;
use super::shot;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use micado::scene::{Edit, Mode, Probe};
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use std::fmt::Write as _;
use std::path::Path;
use types::{Schemas, comment, declaration, names_used, table_of_variants};

/// The command that regenerates the files.
const RENEW: &str = "make protocol";

#[test]
fn the_page_has_the_current_protocol() {
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("web");
    for (name, text) in files() {
        let path = web.join(name);
        if std::env::var_os("MICADO_RENEW").is_some() {
            std::fs::create_dir_all(path.parent().expect("a folder")).unwrap();
            std::fs::write(&path, text).unwrap();
        } else {
            let there = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
            assert!(there == text, "web/{name} is stale. Regenerate it: {RENEW}");
        }
    }
}

/// The files under `web/`, and their texts.
fn files() -> [(&'static str, String); 4] {
    let (scene, protocol) = declarations();
    [
        ("src/wire/generated/scene.ts", scene),
        ("src/wire/generated/protocol.ts", protocol),
        ("src/wire/generated/frame.ts", layout()),
        ("test/generated/sample.ts", sample()),
    ]
}

fn head(about: &str) -> String {
    let how = format!("Written by `{RENEW}` from crates/micado-view/src/protocol: do not edit.");
    comment(&format!("{about} {how}"), 0) + "\n"
}

/// The types of scene files and edits, and those used only by the protocol.
fn declarations() -> (String, String) {
    let mut reader = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    reader.subschema_for::<Edit>();
    reader.subschema_for::<Probe>();
    reader.subschema_for::<Mode>();
    let scene = schemas(&reader);
    reader.subschema_for::<Request>();
    let mut writer = SchemaSettings::draft2020_12().for_serialize().into_generator();
    writer.subschema_for::<Message<'_>>();
    writer.subschema_for::<Answer>();
    writer.subschema_for::<Done>();
    let mut protocol = schemas(&reader);
    for (name, schema) in schemas(&writer) {
        if let Some(read) = protocol.insert(name.clone(), schema.clone()) {
            assert_eq!(read, schema, "{name} has different schemas for reading and writing");
        }
    }
    protocol.retain(|name, _| !scene.contains_key(name));
    let done = protocol.remove("Done").expect("the answers");

    let all = |schemas: &Schemas| {
        let declarations = schemas.iter().map(|(name, schema)| declaration(name, schema));
        declarations.collect::<Vec<_>>().join("\n")
    };
    let vector = "/** x, y, z */\nexport type Vector = [number, number, number];\n\n";
    let scene_text = head("Parts of scene files and edits, in JSON.") + vector + &all(&scene);
    let protocol_text = all(&protocol) + "\n" + &table_of_variants("Answers", &done);
    let used = ["Vector".to_owned()];
    let used = names_used(&protocol_text, scene.keys().chain(&used)).join(", ");
    let version = format!(
        "/** Version of the protocol that this page speaks. */\nexport const PROTOCOL_VERSION = {VERSION};\n"
    );
    let import = format!("import type {{ {used} }} from \"./scene.ts\";\n\n");
    (
        scene_text,
        head("Messages between server and page, in JSON.") + &import + &version + "\n" + &protocol_text,
    )
}

fn schemas(generator: &SchemaGenerator) -> Schemas {
    generator.definitions().iter().map(|(name, schema)| (name.clone(), schema.clone())).collect()
}

/// The layout of frames.
fn layout() -> String {
    let mut text = head("Layout of frames: little-endian, no gaps.");
    let magic = u32::from_le_bytes(MAGIC);
    let _ = write!(
        text,
        "/** First four bytes of a frame, as u32. */\nexport const MAGIC = {magic:#010x};\n\
         /** `channel` of a frame without values. */\nexport const NO_CHANNEL = {NO_CHANNEL:#010x};\n\
         /** Bit of `flags` that is set while time runs. */\nexport const PLAYING = {PLAYING};\n\n"
    );
    let first = &Head::FIELDS[0];
    assert_eq!((first.name, first.count), ("magic", 4));
    let fields = Head::FIELDS[1..].iter().map(|field| {
        assert_eq!(field.count, 1, "{}", field.name);
        let place = format!("{{ at: {}, type: \"{}\" }}", field.offset, word(field.number));
        format!("{}        {}: {place},\n", comment(field.about, 8), field.name)
    });
    let fields: String = fields.collect();
    let _ = write!(
        text,
        "{}export const HEAD = {{\n    /** Bytes. */\n    size: {},\n    /** Numbers, and the bytes before \
         them. */\n    fields: {{\n{fields}    }},\n}} as const;\n\n",
        comment(Head::ABOUT, 0),
        Head::SIZE
    );
    text += &comment("The arrays after the head, in this order: `count` items of `width` numbers each.", 0);
    text += "export const ARRAYS = [\n";
    for &array in Array::ALL {
        let (number, width) = array.item();
        let _ = writeln!(
            text,
            "    {{ name: \"{}\", type: \"{}\", width: {width}, count: \"{}\" }},",
            name(array),
            word(number),
            array.count_field()
        );
    }
    text += "] as const;\n\nexport interface FrameArrays {\n";
    for &array in Array::ALL {
        let (number, _) = array.item();
        let _ = writeln!(text, "{}    {}: {};", comment(array.about(), 4), name(array), view(number));
    }
    text += "}\n\n";
    text += &record::<ConstraintNumbers>("CONSTRAINT");
    text += &record::<SpringNumbers>("SPRING");
    text += &record::<LoadNumbers>("LOAD");
    text += &record::<GaugeNumbers>("GAUGE");
    text += record::<ContactNumbers>("CONTACT").trim_end();
    text + "\n"
}

/// Offsets of the fields of a record, in numbers.
fn record<R: Record>(name: &str) -> String {
    let size = Number::F32.size();
    let field =
        |field: &Field| format!("{}    {}: {},\n", comment(field.about, 4), field.name, field.offset / size);
    let fields: String = R::FIELDS.iter().filter(|field| field.name != "reserved").map(field).collect();
    let about = format!("{} `stride` numbers, and the offsets of its fields.", R::ABOUT);
    let stride = R::SIZE / size;
    format!("{}export const {name} = {{\n    stride: {stride},\n{fields}}} as const;\n\n", comment(&about, 0))
}

/// A frame as the server writes it, for the tests of the page.
fn sample() -> String {
    let bytes = BASE64.encode(shot::tests::sample().bytes(Some(1)));
    let pieces: Vec<&str> = bytes.as_bytes().chunks(96).map(|piece| str::from_utf8(piece).unwrap()).collect();
    head("A frame as the server writes it, in base64; `sample` in crates/micado-view/src/protocol/shot.rs.")
        + &format!("export const SAMPLE =\n    \"{}\";\n", pieces.join("\" +\n    \""))
}

fn name(array: Array) -> String {
    format!("{array:?}").to_lowercase()
}

fn word(number: Number) -> String {
    format!("{number:?}").to_lowercase()
}

/// The typed array of the page.
fn view(number: Number) -> &'static str {
    match number {
        Number::U8 => "Uint8Array",
        Number::I16 => "Int16Array",
        Number::U32 => "Uint32Array",
        Number::U64 => "BigUint64Array",
        Number::F32 => "Float32Array",
        Number::F64 => "Float64Array",
    }
}
