//! The figures are the experiments: the same text of a seed, the same numbers as the tables, whole files.

use mirostat::experiments::{
    Baseline, Scenario, baseline_mean_surprise, compare_scenario, run_baseline_static,
    run_scenario, sweep_targets, zipf_logits,
};
use mirostat::{Config, ParkMiller, Sampler, Version};
use mirostat_figures::{
    Fault, Settings, Traces, calibration, draw_all, kept, measure_calibration, measure_zipf_rows,
    mu, runs, surprise, write, zipf_rows,
};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

const SETTINGS: Settings = Settings {
    seed: 42,
    steps: 60,
};

fn nothing() {}

fn uniforms() -> ParkMiller {
    ParkMiller::new(SETTINGS.seed).unwrap()
}

/// A folder of a test's own, empty.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    match std::fs::remove_dir_all(&folder) {
        Err(fault) if fault.kind() != std::io::ErrorKind::NotFound => panic!("{fault}"),
        _ => folder,
    }
}

#[test]
fn traces_are_those_of_the_experiments() {
    let traces = Traces::record(SETTINGS).unwrap();
    let runs = traces.runs();
    let scenarios = [
        Scenario::static_zipf(1.15),
        Scenario::drifting_zipf(1.0, 1.6),
    ];
    assert_eq!(runs.len(), 4);
    for (found, (scenario, version)) in runs.into_iter().zip(
        scenarios
            .into_iter()
            .flat_map(|scenario| [Version::V1, Version::V2].map(|version| (scenario, version))),
    ) {
        let mut sampler = Sampler::new(Config::new(3.0).unwrap(), version).unwrap();
        let expected =
            run_scenario(&mut sampler, &mut uniforms(), scenario, 256, SETTINGS.steps).unwrap();
        assert_eq!(found, expected);
    }
}

#[test]
fn calibration_is_the_table_of_the_sweep() {
    let rows = measure_calibration(SETTINGS, &nothing).unwrap();
    let targets: Vec<f64> = (4..=24).map(|quarters| f64::from(quarters) / 4.0).collect();
    assert_eq!(
        rows.iter().map(|row| row.exponent).collect::<Vec<_>>(),
        [0.9, 1.15, 1.4]
    );
    for row in rows {
        let scenario = Scenario::static_zipf(row.exponent);
        let expected = sweep_targets(
            &targets,
            0.1,
            scenario,
            256,
            SETTINGS.steps,
            &uniforms(),
            None,
        )
        .unwrap();
        assert_eq!(row.points, expected);
    }
}

#[test]
fn means_across_rows_are_those_of_the_experiments() {
    let measured = measure_zipf_rows(SETTINGS, &nothing).unwrap();
    let fixed = [
        Baseline::TopK(5),
        Baseline::TopP(0.48),
        Baseline::MinP(0.15),
        Baseline::Epsilon(0.035),
        Baseline::Temperature(0.57),
        Baseline::Typical(0.9),
    ];
    let means: Vec<&[f64]> = measured.means().collect();
    assert_eq!((means.len(), measured.samplers().len()), (11, 8));
    // From the most peaked row, whose entropy is the least, to the flattest.
    for (found, tenths) in means.into_iter().zip((7_u8..=17).rev()) {
        let exponent = f64::from(tenths) / 10.0;
        let steered = compare_scenario(
            Config::new(3.0).unwrap(),
            Scenario::static_zipf(exponent),
            256,
            SETTINGS.steps,
            &uniforms(),
        )
        .unwrap();
        let mut expected = vec![steered.v1.mean_surprise, steered.v2.mean_surprise];
        let row = zipf_logits(256, exponent);
        for baseline in fixed {
            let trace =
                run_baseline_static(baseline, &mut uniforms(), &row, SETTINGS.steps).unwrap();
            expected.push(baseline_mean_surprise(&trace).unwrap());
        }
        assert_eq!(found, expected);
    }
}

/// What the captions say of the fixed samplers: 3 bits on the row of exponent 1.15, something else elsewhere.
#[test]
fn fixed_samplers_are_set_to_the_target_on_one_row() {
    let settings = Settings {
        steps: 2_000,
        ..SETTINGS
    };
    let set = zipf_logits(256, 1.15);
    let flat = zipf_logits(256, 0.7);
    let mean = |baseline, row: &[f64]| {
        let trace = run_baseline_static(baseline, &mut uniforms(), row, settings.steps).unwrap();
        baseline_mean_surprise(&trace).unwrap()
    };
    for baseline in [
        Baseline::TopK(5),
        Baseline::TopP(0.48),
        Baseline::MinP(0.15),
        Baseline::Epsilon(0.035),
        Baseline::Temperature(0.57),
    ] {
        assert!((mean(baseline, &set) - 3.0).abs() < 0.1, "{baseline:?}");
        assert!((mean(baseline, &flat) - 3.0).abs() > 0.85, "{baseline:?}");
    }
    assert!((mean(Baseline::Typical(0.9), &set) - 3.0).abs() > 1.5);
}

#[test]
fn a_seed_draws_the_same_text_and_another_seed_another() {
    let draw = |settings| {
        let traces = Traces::record(settings).unwrap();
        let calibrated = measure_calibration(settings, &nothing).unwrap();
        let zipf = measure_zipf_rows(settings, &nothing).unwrap();
        [
            surprise(&traces).unwrap(),
            mu(&traces).unwrap(),
            kept(&traces).unwrap(),
            calibration(&calibrated, settings).unwrap(),
            zipf_rows(&zipf, settings).unwrap(),
        ]
    };
    let (first, again) = (draw(SETTINGS), draw(SETTINGS));
    let other = draw(Settings {
        seed: 43,
        ..SETTINGS
    });
    assert_eq!(first, again);
    for (first, other) in first.iter().zip(&other) {
        // Not only the note, which names the seed.
        let other = other.svg.replace("seed 43", "seed 42");
        assert_ne!(first.svg, other, "{}", first.name);
    }
}

#[test]
fn every_figure_is_written_whole_and_shown() {
    let done = AtomicU64::new(0);
    let count = || {
        done.fetch_add(1, Ordering::Relaxed);
    };
    let figures = draw_all(SETTINGS, &count).unwrap();
    assert_eq!(done.into_inner(), runs());
    let folder = folder("every_figure_is_written_whole_and_shown");
    let files = write(&folder, &figures, SETTINGS).unwrap();

    let found: HashSet<PathBuf> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(found, files.iter().cloned().collect());
    assert_eq!(*files.last().unwrap(), folder.join("index.html"));
    let page = std::fs::read_to_string(folder.join("index.html")).unwrap();
    assert!(page.contains("--seed 42 --steps 60") && page.ends_with("</html>\n"));
    assert_eq!(figures.len(), 6);
    for figure in &figures {
        let svg = std::fs::read_to_string(folder.join(figure.name).with_extension("svg")).unwrap();
        assert_eq!(svg, figure.svg);
        assert!(svg.starts_with("<svg width=\"1200\" ") && svg.trim_end().ends_with("</svg>"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        assert!(page.contains(&format!("<img src=\"{}.svg\"", figure.name)));
        let png = folder.join(figure.name).with_extension("png");
        if files.contains(&png) {
            let bytes = std::fs::read(png).unwrap();
            assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"));
            let width = u32::from_be_bytes(bytes[16..20].try_into().unwrap());
            assert_eq!(width, 2400);
        }
    }
}

#[test]
fn what_cannot_be_drawn_or_written_is_told() {
    let settings = |seed, steps| Settings { seed, steps };
    for settings in [settings(0, 60), settings(42, 0)] {
        assert!(matches!(
            draw_all(settings, &nothing),
            Err(Fault::Mirostat(_))
        ));
    }
    draw_all(settings(42, 1), &nothing).unwrap();

    // A file stands where the folder should be.
    let place = folder("what_cannot_be_drawn_or_written_is_told");
    std::fs::write(&place, "").unwrap();
    let fault = write(&place, &[], SETTINGS).unwrap_err();
    std::fs::remove_file(&place).unwrap();
    assert!(
        fault.to_string().contains(&place.display().to_string()),
        "{fault}"
    );
}
