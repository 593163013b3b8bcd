//! The texts as CSV, and the rules as a table for people.

use crate::plan::{PROMPTS, name};
use crate::work::Text;
use mirostat_textgen::SamplerOptions;
use std::fmt::Write as _;

/// A line for every text.
pub(crate) fn csv(texts: &[Text]) -> String {
    let mut csv = String::from(
        "rule,prompt,mean_surprise_bits,first_quarter_bits,last_quarter_bits,median_kept,mean_kept,repeated_4grams,end_tokens\n",
    );
    for text in texts {
        let figures = &text.figures;
        line(
            &mut csv,
            format_args!(
                "\"{}\",{},{:.4},{:.4},{:.4},{},{:.1},{:.4},{}",
                text.name,
                text.prompt + 1,
                figures.surprise_bits,
                figures.early_bits,
                figures.late_bits,
                figures.median_kept,
                figures.mean_kept,
                figures.repetition,
                figures.ends,
            ),
        );
    }
    csv
}

/// A line for every rule, over its texts.
pub(crate) fn summary(ground: &str, rules: &[SamplerOptions], texts: &[Text]) -> String {
    let mut table = String::new();
    line(
        &mut table,
        format_args!("{ground}, {} prompts:", PROMPTS.len()),
    );
    line(&mut table, format_args!(""));
    for row in [
        "| rule | mean surprise, bits | off tau | of the five texts | first → last quarter | perplexity | kept, median | repeated 4-grams |",
        "|---|---|---|---|---|---|---|---|",
    ] {
        line(&mut table, format_args!("{row}"));
    }
    for (place, rule) in rules.iter().enumerate() {
        let of_rule: Vec<&Text> = texts.iter().filter(|text| text.rule == place).collect();
        let mean = |of: fn(&Text) -> f64| {
            of_rule.iter().map(|text| of(text)).sum::<f64>() / of_rule.len() as f64
        };
        let surprises = of_rule.iter().map(|text| text.figures.surprise_bits);
        let bits = mean(|text| text.figures.surprise_bits);
        let off = rule
            .target_bits()
            .map_or_else(String::new, |tau| format!("{:+.2}", bits - tau));
        let mut kept: Vec<usize> = of_rule
            .iter()
            .map(|text| text.figures.median_kept)
            .collect();
        kept.sort_unstable();
        line(
            &mut table,
            format_args!(
                "| {} | {:.2} | {} | {:.2}–{:.2} | {:.2} → {:.2} | {:.1} | {} | {:.1} % |",
                name(rule),
                bits,
                off,
                surprises.clone().fold(f64::INFINITY, f64::min),
                surprises.fold(0.0, f64::max),
                mean(|text| text.figures.early_bits),
                mean(|text| text.figures.late_bits),
                bits.exp2(),
                kept[(kept.len() - 1) / 2],
                100.0 * mean(|text| text.figures.repetition),
            ),
        );
    }
    table
}

fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    // A string takes whatever is written to it.
    let _ = writeln!(text, "{arguments}");
}
