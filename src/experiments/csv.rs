//! Tables for other programmes.
//!
//! A number is written with the fewest digits that read back as the same f64, a whole one without a point.

use super::comparison::Comparison;
use super::sweep::SweepPoint;
use std::fmt::Write;

/// A table of the two versions: a header, a row for `v1`, a row for `v2`, each ended by a newline.
///
/// **Units.** Bits, and tokens for `mean_kept`.
///
/// # Examples
///
/// ```
/// use mirostat::experiments::{Scenario, compare_scenario, comparison_csv};
/// use mirostat::{Config, ParkMiller};
/// let comparison = compare_scenario(Config::new(2.0)?, Scenario::Uniform, 4, 10, &ParkMiller::new(5)?)?;
/// let header = "variant,target,mean_surprise,mean_absolute_error,mean_kept,final_mu";
/// assert_eq!(comparison_csv(&comparison, 2.0), format!("{header}\nv1,2,2,0,4,4\nv2,2,2,0,4,4\n"));
/// # Ok::<(), mirostat::Error>(())
/// ```
#[must_use]
pub fn comparison_csv(comparison: &Comparison, target: f64) -> String {
    let mut table =
        String::from("variant,target,mean_surprise,mean_absolute_error,mean_kept,final_mu\n");
    for (variant, run) in [("v1", &comparison.v1), ("v2", &comparison.v2)] {
        write(
            &mut table,
            format_args!(
                "{variant},{target},{},{},{},{}\n",
                run.mean_surprise, run.mean_absolute_error, run.mean_kept, run.final_mu
            ),
        );
    }
    table
}

/// A table of a sweep: a header, then a row for each point, each ended by a newline.
///
/// **Units.** Bits.
///
/// # Examples
///
/// ```
/// use mirostat::experiments::sweep_csv;
/// assert_eq!(sweep_csv(&[]), "target,v1_mean,v1_error,v2_mean,v2_error\n");
/// ```
#[must_use]
pub fn sweep_csv(points: &[SweepPoint]) -> String {
    let mut table = String::from("target,v1_mean,v1_error,v2_mean,v2_error\n");
    for point in points {
        let Comparison { v1, v2 } = &point.comparison;
        write(
            &mut table,
            format_args!(
                "{},{},{},{},{}\n",
                point.target,
                v1.mean_surprise,
                point.v1_error(),
                v2.mean_surprise,
                point.v2_error()
            ),
        );
    }
    table
}

fn write(table: &mut String, line: std::fmt::Arguments<'_>) {
    table
        .write_fmt(line)
        .expect("a String takes whatever is written");
}
