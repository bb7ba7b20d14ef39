//! A colour as scene files write it: `"#c8a070"`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A colour, `"#rrggbb"` in hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("pattern" = "^#[0-9a-fA-F]{6}$"))]
pub struct Colour(pub [u8; 3]);

impl TryFrom<String> for Colour {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.is_ascii());
        let part = |k: usize| u8::from_str_radix(digits?.get(2 * k..2 * k + 2)?, 16).ok();
        let hex = digits.is_some_and(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match (hex, part(0), part(1), part(2)) {
            (true, Some(r), Some(g), Some(b)) => Ok(Self([r, g, b])),
            _ => Err(format!("\"{text}\" is not a colour: write \"#rrggbb\", for example \"#c8a070\"")),
        }
    }
}

impl From<Colour> for String {
    fn from(Colour([r, g, b]): Colour) -> Self {
        format!("#{r:02x}{g:02x}{b:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::Colour;

    #[test]
    fn colours_are_six_hexadecimal_digits() {
        assert_eq!(Colour::try_from("#C8a070".to_owned()), Ok(Colour([0xc8, 0xa0, 0x70])));
        assert_eq!(String::from(Colour([0, 10, 255])), "#000aff");
        for wrong in ["", "#", "c8a070", "#c8a07", "#c8a0700", "#+8a070", "#ääß", "red"] {
            assert!(Colour::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
    }
}
