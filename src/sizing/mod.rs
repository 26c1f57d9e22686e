//! stub
#![allow(missing_docs, unused)]
pub mod blocked {
    use crate::Error;
    #[derive(Clone, Copy, Debug)]
    pub enum Choice {
        Fast,
        Compact,
        Exactly(u32),
    }
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Estimate {
        pub items: f64,
        pub standard_deviation: f64,
    }
    pub struct Shape {
        pub items: u64,
        pub blocks: u64,
        pub k: u32,
        pub rate: f64,
    }
    pub fn rate(_: u64, _: u64, _: u32) -> Result<f64, Error> {
        Ok(0.01)
    }
    pub fn design(items: u64, _rate: f64, c: Choice) -> Result<Shape, Error> {
        design_bits_per_key(items, 10.0, c)
    }
    pub fn design_bits_per_key(items: u64, c: f64, choice: Choice) -> Result<Shape, Error> {
        design_blocks(items, ((items as f64 * c / 512.0).ceil() as u64).max(1), choice)
    }
    pub fn design_blocks(items: u64, blocks: u64, choice: Choice) -> Result<Shape, Error> {
        Ok(Shape { items, blocks, k: if let Choice::Exactly(k) = choice { k } else { 8 }, rate: 0.01 })
    }
    pub fn estimate_items(_: u64, _: u64, _: u32) -> Result<Estimate, Error> {
        Ok(Estimate { items: 1.0, standard_deviation: 1.0 })
    }
}
