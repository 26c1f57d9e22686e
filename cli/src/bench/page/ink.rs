//! Colours that the page's style sheet decides, so that they fit light and dark, and marks that tell series apart without them.

use plotters::style::RGBColor;

/// A colour by its role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    Text,
    Grid,
    Cache,
    Roofline,
    Reference,
    /// A kernel or a scheme, by its place.
    Series(usize),
}

/// Series with colours of their own; further ones begin anew.
const SERIES: usize = 8;
const ROLES: [&str; 5] = ["text", "grid", "cache", "roofline", "reference"];

impl Ink {
    fn number(self) -> usize {
        match self {
            Self::Text => 0,
            Self::Grid => 1,
            Self::Cache => 2,
            Self::Roofline => 3,
            Self::Reference => 4,
            Self::Series(i) => ROLES.len() + i % SERIES,
        }
    }

    /// The value of the style sheet.
    pub(super) fn variable(self) -> String {
        variable(self.number())
    }

    /// A colour that stands for the variable until the drawing is complete.
    pub(super) fn placeholder(self) -> RGBColor {
        RGBColor(0, 0, self.number() as u8 + 1)
    }

    /// The shape that marks the points, as a polygon within −1…1 around them; empty for a line without marks.
    pub(super) fn shape(self) -> &'static [(f64, f64)] {
        match self {
            Self::Series(i) => SHAPES[i % SHAPES.len()],
            Self::Reference => CROSS,
            _ => &[],
        }
    }
}

fn variable(number: usize) -> String {
    match number.checked_sub(ROLES.len()) {
        None => format!("var(--{})", ROLES[number]),
        Some(i) => format!("var(--series-{i})"),
    }
}

/// A drawing with the variables in place of what stood for them.
pub(super) fn with_variables(mut svg: String) -> String {
    for number in 0..ROLES.len() + SERIES {
        svg = svg.replace(&format!("\"#0000{:02X}\"", number + 1), &format!("\"{}\"", variable(number)));
    }
    svg
}

const OCTAGON: &[(f64, f64)] = &[
    (0.92, 0.38),
    (0.38, 0.92),
    (-0.38, 0.92),
    (-0.92, 0.38),
    (-0.92, -0.38),
    (-0.38, -0.92),
    (0.38, -0.92),
    (0.92, -0.38),
];
const SQUARE: &[(f64, f64)] = &[(0.85, 0.85), (-0.85, 0.85), (-0.85, -0.85), (0.85, -0.85)];
const UP: &[(f64, f64)] = &[(0.0, -1.1), (1.05, 0.85), (-1.05, 0.85)];
const DIAMOND: &[(f64, f64)] = &[(0.0, -1.2), (1.2, 0.0), (0.0, 1.2), (-1.2, 0.0)];
const DOWN: &[(f64, f64)] = &[(0.0, 1.1), (1.05, -0.85), (-1.05, -0.85)];
const BAR: &[(f64, f64)] = &[(1.3, 0.45), (-1.3, 0.45), (-1.3, -0.45), (1.3, -0.45)];
const CROSS: &[(f64, f64)] = &[
    (0.0, -0.4),
    (0.8, -1.2),
    (1.2, -0.8),
    (0.4, 0.0),
    (1.2, 0.8),
    (0.8, 1.2),
    (0.0, 0.4),
    (-0.8, 1.2),
    (-1.2, 0.8),
    (-0.4, 0.0),
    (-1.2, -0.8),
    (-0.8, -1.2),
];
const SHAPES: [&[(f64, f64)]; 6] = [OCTAGON, SQUARE, UP, DIAMOND, DOWN, BAR];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_has_its_variable() {
        let inks = [Ink::Text, Ink::Grid, Ink::Cache, Ink::Roofline, Ink::Reference, Ink::Series(9)];
        for (ink, name) in
            inks.into_iter().zip(["text", "grid", "cache", "roofline", "reference", "series-1"])
        {
            let RGBColor(red, green, blue) = ink.placeholder();
            let drawn = with_variables(format!("<i stroke=\"#{red:02X}{green:02X}{blue:02X}\"/>"));
            assert_eq!(drawn, format!("<i stroke=\"var(--{name})\"/>"));
            assert_eq!(ink.variable(), format!("var(--{name})"));
        }
    }
}
