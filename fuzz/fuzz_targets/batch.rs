//! Many sessions at once against each alone, bit for bit; an atomic batch moves all or none.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::{Corpus, fuzz_target};
use mirostat::{
    BatchError, BatchScratch, Error, Job, Matrix, Parallelism, Row, Rows, Sampler, Scratch, Step,
    sample_batch, sample_batch_atomic, step_batch, step_batch_atomic,
};
use mirostat_fuzz::{AnyRow, Element, Number, Recipe, Settings, level, version};

#[derive(Arbitrary, Debug)]
struct Input {
    /// Read as one matrix from its first row, with this vocabulary and stride, besides.
    matrix: (u8, u8),
    rounds: u8,
    jobs: Vec<One>,
}

#[derive(Arbitrary, Debug)]
struct One {
    settings: Settings,
    level: u8,
    second: bool,
    uniform: Number,
    element: Element,
    recipe: Recipe,
}

impl One {
    fn sampler(&self) -> Option<Sampler> {
        Sampler::on_level(
            self.settings.config()?,
            version(self.second),
            level(self.level),
        )
        .ok()
    }
}

type Outcome = Result<Step, Error>;

/// A step bit for bit, as text: −0.0 is not 0.0.
fn bits(outcome: &Outcome) -> String {
    match outcome {
        Ok(step) => format!(
            "{step:?} {:x} {:x} {:x} {:x}",
            step.probability.to_bits(),
            step.surprise_bits.to_bits(),
            step.mu_before.to_bits(),
            step.mu_after.to_bits()
        ),
        Err(error) => format!("{error:?}"),
    }
}

fn same(what: &str, found: &[Outcome], expected: &[Outcome]) {
    let text = |outcomes: &[Outcome]| outcomes.iter().map(bits).collect::<Vec<_>>();
    assert_eq!(text(found), text(expected), "{what}");
}

fn same_sessions(what: &str, found: &[Sampler], expected: &[Sampler]) {
    assert_eq!(found.len(), expected.len());
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(found.state(), expected.state(), "{what}: session {i}");
        assert_eq!(
            found.mu().to_bits(),
            expected.mu().to_bits(),
            "{what}: session {i}"
        );
    }
}

fn jobs<'a>(samplers: &'a mut [Sampler], rows: &[Row<'a>], uniforms: &[f64]) -> Vec<Job<'a>> {
    samplers
        .iter_mut()
        .zip(rows)
        .zip(uniforms)
        .map(|((sampler, &row), &uniform)| Job {
            sampler,
            row,
            uniform,
        })
        .collect()
}

/// Every way to step a batch, from the same sessions; they end where single steps bring them.
fn round(samplers: &mut [Sampler], rows: Rows<'_>, uniforms: &[f64], scratch: &mut BatchScratch) {
    let list: Vec<Row<'_>> = (0..rows.len()).map(|i| rows.get(i)).collect();
    let before = samplers.to_vec();
    let mut own = Scratch::new();
    let alone: Vec<Outcome> = samplers
        .iter_mut()
        .zip(&list)
        .zip(uniforms)
        .map(|((sampler, &row), &uniform)| sampler.sample_in(row, uniform, &mut own))
        .collect();
    let first_fault = alone
        .iter()
        .enumerate()
        .find_map(|(row, outcome)| Some((row, outcome.err()?)));
    let after_all = if first_fault.is_some() {
        &before
    } else {
        &*samplers
    };
    for parallelism in [Parallelism::Serial, Parallelism::Auto] {
        let mut out = vec![Err(Error::AllMasked); 3];
        let mut sessions = before.clone();
        step_batch(
            &mut jobs(&mut sessions, &list, uniforms),
            parallelism,
            scratch,
            &mut out,
        );
        same("step_batch", &out, &alone);
        same_sessions("step_batch", &sessions, samplers);

        let mut sessions = before.clone();
        sample_batch(
            &mut sessions,
            rows,
            uniforms,
            parallelism,
            scratch,
            &mut out,
        )
        .expect("equal lengths");
        same("sample_batch", &out, &alone);
        same_sessions("sample_batch", &sessions, samplers);

        let all_or_none =
            |name, ended: Result<(), BatchError>, steps: &[Step], sessions: &[Sampler]| {
                let fault = ended.err().map(|e| (e.row, e.error));
                assert_eq!(fault, first_fault, "{name}");
                let found: Vec<Outcome> = steps.iter().copied().map(Ok).collect();
                let expected = if first_fault.is_some() {
                    &[]
                } else {
                    &alone[..]
                };
                same(name, &found, expected);
                same_sessions(name, sessions, after_all);
            };
        let mut steps = Vec::new();
        let mut sessions = before.clone();
        let ended = step_batch_atomic(
            &mut jobs(&mut sessions, &list, uniforms),
            parallelism,
            scratch,
            &mut steps,
        );
        all_or_none("step_batch_atomic", ended, &steps, &sessions);

        let mut sessions = before.clone();
        let ended = sample_batch_atomic(
            &mut sessions,
            rows,
            uniforms,
            parallelism,
            scratch,
            &mut steps,
        );
        all_or_none("sample_batch_atomic", ended, &steps, &sessions);
    }
}

/// A batch whose parts do not fit together is refused whole.
fn misfits(samplers: &[Sampler], rows: &[Row<'_>], uniforms: &[f64], scratch: &mut BatchScratch) {
    let mut sessions = samplers.to_vec();
    let fewer = &rows[..rows.len() - 1];
    let (mut out, mut steps) = (Vec::new(), Vec::new());
    for (rows, uniforms) in [(fewer, uniforms), (rows, &uniforms[1..])] {
        assert!(matches!(
            sample_batch(
                &mut sessions,
                rows,
                uniforms,
                Parallelism::Serial,
                scratch,
                &mut out
            ),
            Err(Error::LengthMismatch { .. })
        ));
        assert!(
            sample_batch_atomic(
                &mut sessions,
                rows,
                uniforms,
                Parallelism::Serial,
                scratch,
                &mut steps
            )
            .is_err_and(|e| matches!(e.error, Error::LengthMismatch { .. }))
        );
        assert!(out.is_empty() && steps.is_empty());
    }
    same_sessions("a misfit", &sessions, samplers);
}

fuzz_target!(|input: Input| -> Corpus {
    let ones: Vec<(&One, Sampler)> = input
        .jobs
        .iter()
        .filter_map(|one| Some((one, one.sampler()?)))
        .take(8)
        .collect();
    if ones.is_empty() {
        return Corpus::Reject;
    }
    let owned: Vec<AnyRow> = ones
        .iter()
        .map(|(one, _)| one.recipe.make(one.element))
        .collect();
    let rows: Vec<Row<'_>> = owned.iter().map(AnyRow::row).collect();
    // Most uniforms inside [0, 1), some not.
    let uniforms: Vec<f64> = ones
        .iter()
        .map(|(one, _)| match one.uniform {
            Number::Special(_) => one.uniform.f64(),
            other => other.f64().abs().fract(),
        })
        .collect();
    let mut samplers: Vec<Sampler> = ones.into_iter().map(|(_, sampler)| sampler).collect();
    let mut scratch = BatchScratch::new();
    misfits(&samplers, &rows, &uniforms, &mut scratch);
    for _ in 0..=input.rounds % 3 {
        round(&mut samplers, Rows::from(&rows), &uniforms, &mut scratch);
    }
    let vocabulary = usize::from(input.matrix.0);
    let stride = vocabulary + usize::from(input.matrix.1 % 4);
    if let Ok(matrix) = Matrix::new(rows[0], samplers.len(), vocabulary, stride) {
        round(&mut samplers, Rows::from(matrix), &uniforms, &mut scratch);
    }
    Corpus::Keep
});
