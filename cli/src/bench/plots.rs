//! The plots, as SVG. Colours of the page are names of its style sheet, so that they follow a dark screen.

use std::error::Error;

use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

/// A line, or bare points.
pub(super) struct Series {
    pub(super) name: String,
    pub(super) points: Vec<(f64, f64)>,
    /// The interval of each point; empty where there is none.
    pub(super) intervals: Vec<[f64; 2]>,
    /// A curve through theory: no markers.
    pub(super) is_curve: bool,
    /// Which colour and marker; series of one thing share them.
    pub(super) style: usize,
}

/// A plot: a caption, the axes, and what they show.
pub(super) struct Plot {
    pub(super) title: String,
    pub(super) caption: String,
    pub(super) x_name: &'static str,
    pub(super) y_name: &'static str,
    /// Whether x are bytes, on a logarithmic axis.
    pub(super) is_bytes: bool,
    pub(super) is_log: bool,
    pub(super) series: Vec<Series>,
    /// Vertical lines with names.
    pub(super) marks: Vec<(f64, String)>,
}

const SIZE: (u32, u32) = (860, 440);

/// Colours that differ for every kind of eye, on light and on dark (after Okabe and Ito), and grey for what stands beside.
pub(super) const COLOURS: [(u8, u8, u8); 8] = [
    (0, 114, 178),
    (213, 94, 0),
    (0, 158, 115),
    (204, 121, 167),
    (230, 159, 0),
    (86, 180, 233),
    (128, 128, 128),
    (150, 100, 50),
];

/// What plotters is given where the page's own colours shall stand.
const INK: RGBColor = RGBColor(1, 2, 3);
const GRID: RGBColor = RGBColor(3, 2, 1);

pub(super) fn colour(style: usize) -> RGBColor {
    let (red, green, blue) = COLOURS[style % COLOURS.len()];
    RGBColor(red, green, blue)
}

impl Plot {
    pub(super) fn svg(&self) -> Result<String, String> {
        let mut svg = String::new();
        self.draw(&mut svg).map_err(|error| error.to_string())?;
        let svg = svg.replace("#010203", "var(--ink)").replace("#030201", "var(--grid)");
        let start = svg.find("<svg").unwrap_or(0);
        Ok(svg[start..].replacen("<svg ", &format!("<svg role=\"img\" aria-label=\"{}\" ", self.title), 1))
    }

    /// The least and the most of all values, with a margin.
    fn range(&self, of: impl Fn(&Series) -> Vec<f64>, is_log: bool) -> [f64; 2] {
        let values = || self.series.iter().flat_map(&of).filter(|&value| !is_log || value > 0.0);
        let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
        match (low.is_finite(), is_log) {
            (false, _) => [0.1, 1.0],
            (_, true) => [low / 1.25, high * 1.25],
            (_, false) => [0.0, if high > 0.0 { high * 1.08 } else { 1.0 }],
        }
    }

    fn draw(&self, svg: &mut String) -> Result<(), Box<dyn Error>> {
        let xs = |series: &Series| series.points.iter().map(|point| point.0).collect();
        let [left, right] = if self.is_bytes { self.range(xs, true) } else { self.x_range() };
        let [low, high] = self.range(
            |series| {
                series.points.iter().map(|p| p.1).chain(series.intervals.iter().flatten().copied()).collect()
            },
            self.is_log,
        );
        match (self.is_bytes, self.is_log) {
            (true, true) => self.draw_on(
                svg,
                (left..right).log_scale().base(2.0),
                (low..high).log_scale(),
                [left, right, low],
            ),
            (true, false) => {
                self.draw_on(svg, (left..right).log_scale().base(2.0), low..high, [left, right, low])
            }
            (false, true) => self.draw_on(svg, left..right, (low..high).log_scale(), [left, right, low]),
            (false, false) => self.draw_on(svg, left..right, low..high, [left, right, low]),
        }
    }

    fn x_range(&self) -> [f64; 2] {
        let xs = || self.series.iter().flat_map(|series| &series.points).map(|point| point.0);
        let (low, high) = (xs().fold(f64::INFINITY, f64::min), xs().fold(0.0, f64::max));
        let margin = ((high - low) * 0.04).max(1e-3);
        if low.is_finite() { [low - margin, high + margin] } else { [0.0, 1.0] }
    }

    fn draw_on<X, Y>(
        &self,
        svg: &mut String,
        x: X,
        y: Y,
        [left, right, low]: [f64; 3],
    ) -> Result<(), Box<dyn Error>>
    where
        X: AsRangedCoord<Value = f64>,
        Y: AsRangedCoord<Value = f64>,
        X::CoordDescType: ValueFormatter<f64>,
        Y::CoordDescType: ValueFormatter<f64>,
    {
        let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        let mut chart = ChartBuilder::on(&area)
            .margin(12)
            .x_label_area_size(48)
            .y_label_area_size(64)
            .build_cartesian_2d(x, y)?;
        let text = ("sans-serif", 15).into_font().color(&INK);
        chart
            .configure_mesh()
            .x_desc(self.x_name)
            .y_desc(self.y_name)
            .x_labels(12)
            .y_labels(8)
            .x_label_formatter(&|&value| if self.is_bytes { bytes(value) } else { number(value) })
            .y_label_formatter(&|&value| number(value))
            .label_style(text.clone())
            .axis_desc_style(text.clone())
            .axis_style(INK)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .draw()?;
        let (_, bottom) = chart.plotting_area().get_pixel_range();
        let top = bottom.start;
        for (at, name) in self.marks.iter().filter(|(at, _)| (left..right).contains(at)) {
            let (column, _) = chart.backend_coord(&(*at, low));
            area.draw(&PathElement::new(vec![(column, top), (column, bottom.end)], INK.stroke_width(1)))?;
            area.draw(&Text::new(name.clone(), (column + 4, top + 2), text.clone()))?;
        }
        for series in &self.series {
            let colour = colour(series.style);
            if series.is_curve || series.intervals.is_empty() {
                let width = if series.is_curve { 1 } else { 2 };
                chart.draw_series(LineSeries::new(
                    series.points.iter().copied(),
                    colour.stroke_width(width),
                ))?;
            }
            for (point, &[low, high]) in series.points.iter().zip(&series.intervals) {
                let ends = [(point.0, low.max(f64::MIN_POSITIVE)), (point.0, high)];
                chart.draw_series(LineSeries::new(ends, colour.stroke_width(1)))?;
            }
            if !series.is_curve {
                for point in &series.points {
                    let (x, y) = chart.backend_coord(point);
                    match series.style % 4 {
                        0 => area.draw(&Circle::new((x, y), 4, colour.filled()))?,
                        1 => area.draw(&TriangleMarker::new((x, y), 6, colour.filled()))?,
                        2 => area.draw(&Rectangle::new([(x - 4, y - 4), (x + 4, y + 4)], colour.filled()))?,
                        _ => area.draw(&Cross::new((x, y), 4, colour.stroke_width(2)))?,
                    }
                }
            }
        }
        area.present()?;
        Ok(())
    }
}

fn bytes(value: f64) -> String {
    let exponent = value.log2();
    // Labels between powers of two would round to the same text.
    if (exponent - exponent.round()).abs() > 0.01 {
        return String::new();
    }
    match exponent.round() as u32 {
        exponent @ 0..10 => format!("{} B", 1_u64 << exponent),
        exponent @ 10..20 => format!("{} KiB", 1_u64 << (exponent - 10)),
        exponent @ 20..30 => format!("{} MiB", 1_u64 << (exponent - 20)),
        exponent => format!("{} GiB", 1_u64 << (exponent.min(60) - 30)),
    }
}

/// As many digits as it takes.
fn number(value: f64) -> String {
    let rounded: f64 = format!("{value:.2e}").parse().unwrap_or(value);
    if rounded != 0.0 && rounded.abs() < 1e-4 { format!("{rounded:e}") } else { rounded.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_short() {
        assert_eq!(bytes(16384.0), "16 KiB");
        assert_eq!(bytes(536_870_912.0), "512 MiB");
        assert_eq!(bytes(20000.0), "");
        assert_eq!(number(0.1 + 0.2), "0.3");
        assert_eq!(number(0.000_01), "1e-5");
        assert_eq!(number(10.0), "10");
    }
}
