//! What every picture is made of: one palette, one size of text, a title, a legend, and charts under it.

mod axes;
mod legend;
mod marks;
mod numbers;
mod palette;
mod picture;
mod side_labels;

pub use axes::{Axes, Chart};
pub use legend::Key;
pub use marks::{Dots, Shape, Stroke, area, dots, line};
pub use numbers::{grouped, number};
pub use palette::{
    EPSILON, GRID, INK, MIN_P, MUTED, OUT_OF_REACH, TEMPERATURE, TOP_K, TOP_P, TYPICAL, V1, V2,
};
pub use picture::{Area, Picture};
pub use side_labels::{SideLabel, side_labels};
