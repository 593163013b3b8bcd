//! The ancestor's experiment: both versions and two fixed samplers on one row of Zipf's law, then both on one that drifts; as CSV.
//!
//! `cargo run --release --example experiment`
#![forbid(unsafe_code)]

use mirostat::experiments::{
    Baseline, Scenario, baseline_mean_surprise, compare_scenario, run_baseline_static, zipf_logits,
};
use mirostat::trace::TraceSummary;
use mirostat::{Config, ParkMiller, Result};

const VOCABULARY: usize = 256;
const EXPONENT: f64 = 1.15;
const STEPS: usize = 1000;

fn main() -> Result<()> {
    let config = Config::new(3.0)?;
    let uniforms = ParkMiller::new(42)?;
    let compare = |scenario| compare_scenario(config, scenario, VOCABULARY, STEPS, &uniforms);

    println!("variant,steps,mean_surprise,mean_absolute_error,mean_kept,final_mu");
    let held = compare(Scenario::static_zipf(EXPONENT))?;
    print_run("v1", &held.v1);
    print_run("v2", &held.v2);

    let row = zipf_logits(VOCABULARY, EXPONENT);
    for (name, baseline) in [
        ("top-k-6", Baseline::TopK(6)),
        ("top-p-0.9", Baseline::TopP(0.9)),
    ] {
        let trace = run_baseline_static(baseline, &mut uniforms.clone(), &row, STEPS)?;
        // A fixed sampler has no target and no mu.
        println!("{name},{STEPS},{},,,", baseline_mean_surprise(&trace)?);
    }

    let drifting = compare(Scenario::drifting_zipf(0.7, 1.7))?;
    print_run("drift-v1", &drifting.v1);
    print_run("drift-v2", &drifting.v2);
    Ok(())
}

fn print_run(name: &str, run: &TraceSummary) {
    println!(
        "{name},{},{},{},{},{}",
        run.count, run.mean_surprise, run.mean_absolute_error, run.mean_kept, run.final_mu
    );
}
