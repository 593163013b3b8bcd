//! The colours: those of Okabe and Ito, which are told apart by every kind of eye, and greys.
//!
//! A picture brings its own white ground, so that it reads on a light page and on a dark one.

use plotters::style::RGBColor;

/// Titles, axes, and the target.
pub const INK: RGBColor = RGBColor(38, 43, 51);
/// Notes, and what is there for orientation.
pub const MUTED: RGBColor = RGBColor(107, 114, 128);
/// The lines behind everything.
pub const GRID: RGBColor = RGBColor(229, 231, 235);
/// Where no mean gets to of a sampler that keeps the likeliest tokens.
pub const OUT_OF_REACH: RGBColor = RGBColor(240, 241, 244);

/// Mirostat, version 1.
pub const V1: RGBColor = RGBColor(0, 114, 178);
/// Mirostat, version 2.
pub const V2: RGBColor = RGBColor(213, 94, 0);
/// Top-k.
pub const TOP_K: RGBColor = RGBColor(0, 158, 115);
/// Top-p.
pub const TOP_P: RGBColor = RGBColor(204, 121, 167);
/// Min-p.
pub const MIN_P: RGBColor = RGBColor(230, 159, 0);
/// Epsilon.
pub const EPSILON: RGBColor = RGBColor(86, 180, 233);
/// Typical.
pub const TYPICAL: RGBColor = RGBColor(122, 92, 62);
/// Temperature.
pub const TEMPERATURE: RGBColor = RGBColor(136, 140, 148);
