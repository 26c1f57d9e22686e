//! Parquet's split block.

mod contract;
mod designs;
mod halves;
mod known;
mod simulation;
