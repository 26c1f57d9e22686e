//! A chart, and its drawing as SVG.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::axis::Axis;
use super::ink::{Ink, with_variables};
use crate::failure::{Context, Failure};

/// Units of the drawing, of which about two make a pixel on a large screen: whole numbers are then fine enough.
const SIZE: (u32, u32) = (1280, 800);
const FONT: (&str, f64) = ("sans-serif", 33.0);
const MARK: f64 = 9.0;
const CAP: i32 = 8;

pub(super) struct Chart {
    /// Tells the chart apart from all others of the page.
    pub(super) id: String,
    pub(super) title: String,
    pub(super) caption: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) series: Vec<Series>,
    /// Places on the x axis, with what they are.
    pub(super) places: Vec<(f64, String)>,
}

pub(super) struct Series {
    pub(super) name: String,
    pub(super) ink: Ink,
    pub(super) line: Vec<(f64, f64)>,
    pub(super) points: Vec<Point>,
}

pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) interval: Option<[f64; 2]>,
}

impl Series {
    /// Points that a line joins.
    pub(super) fn joined(name: impl Into<String>, ink: Ink, line: Vec<(f64, f64)>) -> Self {
        let points = line.iter().map(|&(x, y)| Point { x, y, interval: None }).collect();
        Self { name: name.into(), ink, line, points }
    }
}

impl Chart {
    /// An element for a page whose style sheet has the colours.
    pub(super) fn svg(&self) -> Result<String, Failure> {
        let mut svg = String::new();
        self.draw(SVGBackend::with_string(&mut svg, SIZE)).about("plot")?;
        let svg = with_variables(svg);
        // Its width is the page's matter.
        let (width, height) = SIZE;
        Ok(svg.replacen(&format!("<svg width=\"{width}\" height=\"{height}\" "), "<svg role=\"img\" ", 1))
    }

    fn draw<B: DrawingBackend>(&self, backend: B) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let root = backend.into_drawing_area();
        let text =
            |ink: Ink| TextStyle { color: ink.placeholder().to_backend_color(), ..TextStyle::from(FONT) };
        let mut chart = ChartBuilder::on(&root)
            .margin(12)
            .margin_right(40)
            .margin_top(48)
            .x_label_area_size(96)
            .y_label_area_size(140)
            .build_cartesian_2d(self.x.clone(), self.y.clone())?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(Ink::Grid.placeholder().stroke_width(2))
            .axis_style(Ink::Text.placeholder().stroke_width(2))
            .label_style(text(Ink::Text))
            .axis_desc_style(text(Ink::Text))
            .x_desc(self.x.title)
            .y_desc(self.y.title)
            .x_labels(12)
            .y_labels(12)
            .draw()?;

        let (low, high) = (self.y.range().start, self.y.range().end);
        let above = text(Ink::Cache).pos(Pos::new(HPos::Center, VPos::Bottom));
        for (x, name) in &self.places {
            let line =
                PathElement::new(vec![(*x, low), (*x, high)], Ink::Cache.placeholder().stroke_width(3));
            let label = EmptyElement::at((*x, high)) + Text::new(name.clone(), (0, -8), above.clone());
            chart.draw_series([line])?;
            chart.draw_series([label])?;
        }
        for series in &self.series {
            let style = series.ink.placeholder().stroke_width(4);
            if series.line.len() > 1 {
                chart.draw_series([PathElement::new(series.line.clone(), style)])?;
            }
            let intervals = series.points.iter().filter_map(|point| Some((point.x, point.interval?)));
            for (x, [low, high]) in intervals {
                chart.draw_series([PathElement::new(vec![(x, low), (x, high)], style)])?;
                let cap = |y| EmptyElement::at((x, y)) + PathElement::new(vec![(-CAP, 0), (CAP, 0)], style);
                chart.draw_series([low, high].map(cap))?;
            }
            let shape: Vec<_> =
                series.ink.shape().iter().map(|&(x, y)| ((MARK * x) as i32, (MARK * y) as i32)).collect();
            if !shape.is_empty() {
                let fill = series.ink.placeholder().filled();
                let mark =
                    |point: &Point| EmptyElement::at((point.x, point.y)) + Polygon::new(shape.clone(), fill);
                chart.draw_series(series.points.iter().map(mark))?;
            }
        }
        root.present()
    }
}
