//! Rates and sizes against closed forms, published tables, an independent numpy model, exact chains
//! and simulated filters.

mod chain;
mod designs;
mod known;
mod scheme;
mod simulation;
mod split;
