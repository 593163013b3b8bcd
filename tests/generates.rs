//! Generation: the ancestor's figures, who is asked in which order, and what a failure leaves behind.
//!
//! The ancestor's figures are those of its description, section 22; a test named after a weakness gives its number in section 23.
#![expect(unsafe_code, reason = "a counting allocator")]

use mirostat::generation::{
    Fault, Generation, GenerationError, Generator, Logits, Model, StopReason, generate,
    generate_from_prompt, generate_stream,
};
use mirostat::{
    Config, Error, ParkMiller, Row, Sampler, Step, Tape, UniformSource, Uniforms, Version, bf16,
    f16,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::convert::Infallible;
use std::sync::Arc;

thread_local! {
    static BYTES: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

// SAFETY: every call goes to the system's allocator as it came; counting touches no memory of it and does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = BYTES.try_with(|bytes| bytes.set(bytes.get() + layout.size()));
        // SAFETY: the caller's promise is the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is the system's.
        unsafe { System.dealloc(memory, layout) }
    }
}

const BOTH: [Version; 2] = [Version::V1, Version::V2];

fn session(tau: f64, version: Version) -> Sampler {
    Sampler::new(Config::new(tau).unwrap(), version).unwrap()
}

fn same(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-12, "{found}, not {expected}");
}

/// A model that says the same at every turn.
fn always<L: Logits + Clone>(row: L) -> impl FnMut(&[u32]) -> Result<L, Infallible> {
    move |_| Ok(row.clone())
}

#[test]
fn an_end_token_stops_as_in_the_ancestor() {
    let (mut sampler, mut uniforms) = (session(2.0, Version::V2), ParkMiller::new(42).unwrap());
    let mut model = |context: &[u32]| {
        Ok::<_, Infallible>(if context.is_empty() {
            [5.0, 0.0]
        } else {
            [0.0, 5.0]
        })
    };
    let told = generate(&mut sampler, &mut uniforms, &mut model, 5, &[1]).unwrap();
    assert_eq!(
        (&told.tokens[..], told.reason),
        (&[0, 1][..], StopReason::EndToken)
    );
    assert_eq!(told.steps.len(), 2);
    same(sampler.mu(), 4.398062360007382);
    assert_eq!(uniforms.state(), 1126542223);
}

#[test]
fn a_prompt_is_context_but_not_text_as_in_the_ancestor() {
    let (mut sampler, mut uniforms) = (session(2.0, Version::V2), ParkMiller::new(4).unwrap());
    let mut model = |context: &[u32]| {
        assert_eq!(context[..2], [7, 8]);
        Ok::<_, Infallible>(if context.len() == 2 {
            [5.0, 0.0]
        } else {
            [0.0, 5.0]
        })
    };
    let end = Some(1);
    let told = generate_from_prompt(
        &mut sampler,
        &mut uniforms,
        &mut model,
        &[7, 8],
        5,
        end.as_slice(),
    );
    assert_eq!(told.unwrap().tokens, [0, 1]);
}

#[test]
fn an_observer_stops_as_in_the_ancestor() {
    let (mut sampler, mut uniforms) = (session(2.0, Version::V2), ParkMiller::new(3).unwrap());
    let mut seen = 0;
    let told = generate_stream(
        &mut sampler,
        &mut uniforms,
        &mut always([2.0, 1.0]),
        &[],
        10,
        &[],
        |_| {
            seen += 1;
            seen < 3
        },
    )
    .unwrap();
    assert_eq!((told.reason, told.count()), (StopReason::Observer, 3));
    assert_eq!((seen, sampler.steps()), (3, 3));
}

// cmd/generate: words, moon, bit, <end>. The table of the toy is the one of whole logits that gives the ancestor's mu.
#[test]
fn the_ancestors_toy_programme_says_what_it_said() {
    let (mut sampler, mut uniforms) = (session(1.5, Version::V2), ParkMiller::new(9).unwrap());
    let mut model = |context: &[u32]| {
        Ok::<_, Infallible>(match context.last() {
            None => [-5.0, 5.0, -5.0, -5.0],
            Some(1) => [-5.0, 0.0, 5.0, 0.0],
            Some(2) => [-5.0, -2.0, 0.0, 5.0],
            Some(other) => panic!("token {other} after all"),
        })
    };
    let told = generate(&mut sampler, &mut uniforms, &mut model, 8, &[3]).unwrap();
    assert_eq!(
        (&told.tokens[..], told.reason),
        (&[1, 2, 3][..], StopReason::EndToken)
    );
    assert_eq!(told.steps.len(), 3);
    same(sampler.mu(), 3.446936774795761);
    assert_eq!(uniforms.state(), 1718948775);
}

#[test]
fn twenty_steps_of_seed_17_are_the_ancestors() {
    for version in BOTH {
        let (mut sampler, mut uniforms) = (session(2.5, version), ParkMiller::new(17).unwrap());
        let mut model = always([3.0, 2.0, 1.0]);
        let told = generate(&mut sampler, &mut uniforms, &mut model, 20, &[]).unwrap();
        assert_eq!(
            told.tokens,
            [0, 0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0]
        );
        assert_eq!(told.reason, StopReason::Limit);
        same(sampler.mu(), 7.81401126429639);
    }
}

#[test]
fn an_end_token_goes_before_the_observer_and_both_before_the_limit() {
    // The uniforms draw 0, 0, 1.
    let draws = [0.1, 0.1, 0.9];
    for (limit, end_tokens, stop_at, reason) in [
        (3, &[1][..], 3, StopReason::EndToken),
        (3, &[1], 9, StopReason::EndToken),
        (3, &[], 3, StopReason::Observer),
        (9, &[5, 1], 3, StopReason::EndToken),
        (3, &[], 9, StopReason::Limit),
        (3, &[7], 9, StopReason::Limit),
    ] {
        let mut sampler = session(2.0, Version::V2);
        let mut seen = Vec::new();
        let told = Generator::new(limit)
            .end_tokens(end_tokens)
            .stream(
                &mut sampler,
                &mut Tape::new(&draws),
                &mut always([0.0_f64; 2]),
                |step| {
                    seen.push(step.token);
                    seen.len() < stop_at
                },
            )
            .unwrap();
        assert_eq!(
            (told.reason, &told.tokens[..]),
            (reason, &[0, 0, 1][..]),
            "limit {limit}, end {end_tokens:?}, stop at {stop_at}"
        );
        assert_eq!(seen, told.tokens); // the end token's step too
    }
}

#[test]
fn a_limit_of_0_asks_nobody() {
    struct Untouchable;
    impl UniformSource for Untouchable {
        fn peek(&self) -> mirostat::Result<f64> {
            panic!("a uniform was looked at");
        }
        fn advance(&mut self) {
            panic!("a uniform was used up");
        }
    }
    let mut sampler = session(2.0, Version::V1);
    let mut model = |_: &[u32]| -> Result<Vec<f32>, Infallible> { panic!("the model was asked") };
    let told = Generator::new(0)
        .prompt(&[1, 2, 3])
        .end_tokens(&[1])
        .run(&mut sampler, &mut Untouchable, &mut model)
        .unwrap();
    let nothing = Generation {
        tokens: vec![],
        steps: vec![],
        reason: StopReason::Limit,
    };
    assert_eq!((told, sampler.steps()), (nothing, 0));
}

#[test]
fn the_model_sees_the_prompt_and_all_that_was_said() {
    let mut sampler = session(2.0, Version::V2);
    let mut contexts = Vec::new();
    let mut model = |context: &[u32]| {
        contexts.push(context.to_vec());
        Ok::<_, Infallible>([1.0_f32, 0.5, 0.0])
    };
    let told = Generator::new(30)
        .prompt(&[9, 8])
        .run(&mut sampler, &mut Uniforms::new(5, 0), &mut model)
        .unwrap();
    assert_eq!(contexts.len(), 30);
    for (i, context) in contexts.iter().enumerate() {
        assert_eq!(context[..], [&[9, 8], &told.tokens[..i]].concat());
    }
    let steps: Vec<u32> = told.steps.iter().map(|step| step.token).collect();
    assert_eq!(steps, told.tokens);
}

#[test]
fn it_is_the_loop_that_one_would_write() {
    let row = [2.0_f32, 1.5, 0.5, 0.25, -1.0];
    for version in BOTH {
        let (mut by_hand, mut uniforms) = (session(1.5, version), Uniforms::new(11, 3));
        let steps: Vec<Step> = (0..50)
            .map(|_| by_hand.sample_with(&row, &mut uniforms).unwrap())
            .collect();
        let (mut sampler, mut again) = (session(1.5, version), Uniforms::new(11, 3));
        let told = Generator::new(50)
            .run(&mut sampler, &mut again, &mut always(row))
            .unwrap();
        assert_eq!((told.steps, again), (steps, uniforms));
    }
}

/// A model whose rows lie in its own memory.
struct Lender<T> {
    row: Vec<T>,
}

impl<T: Copy + 'static> Model for Lender<T>
where
    [T]: Logits,
{
    type Logits<'a> = &'a [T];
    type Error = Infallible;

    fn logits(&mut self, context: &[u32]) -> Result<&[T], Infallible> {
        let shift = context.len() % 2;
        self.row.rotate_left(shift);
        Ok(&self.row)
    }
}

#[test]
fn rows_of_every_element_come_lent_or_owned() {
    let numbers = [2.0_f32, 1.5, 0.5, 0.25, -1.0, f32::NEG_INFINITY];
    let lent = |model: &mut dyn FnMut(&mut Sampler, &mut Uniforms) -> Vec<Step>| {
        model(&mut session(1.5, Version::V2), &mut Uniforms::new(1, 2))
    };
    let mut single = Lender {
        row: numbers.to_vec(),
    };
    let expected = lent(&mut |s, u| Generator::new(40).run(s, u, &mut single).unwrap().steps);
    let mut half = Lender {
        row: numbers.map(f16::from_f32).to_vec(),
    };
    let mut brain = Lender {
        row: numbers.map(bf16::from_f32).to_vec(),
    };
    let mut double = Lender {
        row: numbers.map(f64::from).to_vec(),
    };
    // Narrow rows of the same numbers give the same steps.
    for steps in [
        lent(&mut |s, u| Generator::new(40).run(s, u, &mut half).unwrap().steps),
        lent(&mut |s, u| Generator::new(40).run(s, u, &mut brain).unwrap().steps),
    ] {
        assert_eq!(steps, expected);
    }
    let exact = lent(&mut |s, u| Generator::new(40).run(s, u, &mut double).unwrap().steps);
    for (exact, narrow) in exact.iter().zip(&expected) {
        assert_eq!((exact.token, exact.kept), (narrow.token, narrow.kept));
    }

    // Owned, shared, or borrowed from what outlives the closure.
    let outside = numbers.to_vec();
    let shared: Arc<[f32]> = Arc::from(&numbers[..]);
    let steps = |model: &mut dyn FnMut(&mut Sampler, &mut Uniforms) -> Vec<Step>| lent(model);
    let owned = steps(&mut |s, u| {
        Generator::new(9)
            .run(s, u, &mut always(outside.clone()))
            .unwrap()
            .steps
    });
    let arc = steps(&mut |s, u| {
        Generator::new(9)
            .run(s, u, &mut always(shared.clone()))
            .unwrap()
            .steps
    });
    let slice = steps(&mut |s, u| {
        Generator::new(9)
            .run(s, u, &mut always(&outside[..]))
            .unwrap()
            .steps
    });
    let row = steps(&mut |s, u| {
        Generator::new(9)
            .run(s, u, &mut always(Row::from(&outside)))
            .unwrap()
            .steps
    });
    assert!(owned == arc && arc == slice && slice == row);
}

/// An error of a model: it needs no trait of ours.
#[derive(Debug, PartialEq)]
struct OutOfMemory;

// 23.9: the ancestor gives up the tokens that it has made when the model fails.
#[test]
fn weakness_9_tokens_before_an_error_are_lost() {
    let row = [1.0_f32, 0.5, 0.25];
    let whole = Generator::new(12)
        .run(
            &mut session(1.2, Version::V2),
            &mut Uniforms::new(8, 0),
            &mut always(row),
        )
        .unwrap();
    for fails_after in 0..12 {
        let (mut sampler, mut uniforms) = (session(1.2, Version::V2), Uniforms::new(8, 0));
        let mut model = |context: &[u32]| {
            if context.len() < fails_after {
                Ok(row)
            } else {
                Err(OutOfMemory)
            }
        };
        let broken = generate(&mut sampler, &mut uniforms, &mut model, 12, &[]).unwrap_err();
        assert_eq!(broken.fault, Fault::Model(OutOfMemory));
        assert_eq!(broken.tokens, whole.tokens[..fails_after]);
        assert_eq!(broken.steps, whole.steps[..fails_after]);
        assert_eq!(uniforms.step, fails_after as u64);
        assert_eq!(sampler.steps(), fails_after as u64);

        // And it goes on where it broke off.
        let rest = Generator::new(12 - fails_after)
            .prompt(&broken.tokens)
            .run(&mut sampler, &mut uniforms, &mut always(row))
            .unwrap();
        assert_eq!([broken.tokens, rest.tokens].concat(), whole.tokens);
        assert_eq!([broken.steps, rest.steps].concat(), whole.steps);
    }
}

// 23.9: the ancestor draws before it looks at the row.
#[test]
fn weakness_9_a_bad_row_burns_a_draw() {
    for bad in [f64::NAN, f64::INFINITY] {
        let (mut sampler, mut uniforms) = (session(2.0, Version::V1), ParkMiller::new(1).unwrap());
        let mut model = |context: &[u32]| {
            Ok::<_, Infallible>(if context.len() < 2 {
                [1.0, 0.0]
            } else {
                [1.0, bad]
            })
        };
        let mut seen = 0;
        let broken = Generator::new(5)
            .stream(&mut sampler, &mut uniforms, &mut model, |_| {
                seen += 1;
                true
            })
            .unwrap_err();
        let expected = Error::InvalidLogit {
            index: 1,
            value: bad,
        };
        assert_eq!(broken.fault, Fault::Step(expected));
        assert_eq!((broken.tokens.len(), broken.steps.len(), seen), (2, 0, 2));
        assert_eq!((uniforms.state(), sampler.steps()), (282_475_249, 2));
    }
}

// 23.9: the ancestor knows one end token.
#[test]
fn weakness_9_there_is_one_end_token() {
    for (draw, last) in [(0.4, 1), (0.9, 3), (0.6, 2)] {
        let told = generate(
            &mut session(2.0, Version::V2),
            &mut Tape::new(&[0.1, draw]),
            &mut always([0.0_f64; 4]),
            2,
            &[3, 1],
        )
        .unwrap();
        assert_eq!(told.tokens, [0, last]);
        let ended = last != 2;
        assert_eq!(told.reason == StopReason::EndToken, ended);
    }
}

// 23.9: the ancestor copies the whole context at every step, 34 MB for 4,096 tokens of 4 bytes.
#[test]
fn weakness_9_the_context_is_rebuilt_at_each_step() {
    let row = [1.0_f32, 0.5, 0.25];
    let mut model = always(&row);
    let (mut sampler, mut uniforms) = (session(1.2, Version::V2), Uniforms::new(8, 0));
    assert!(sampler.sample_with(&row, &mut uniforms).is_ok()); // makes the thread's scratch
    let before = BYTES.get();
    let told = Generator::new(4_096)
        .prompt(&[1; 100])
        .stream(&mut sampler, &mut uniforms, &mut model, |_| true)
        .unwrap();
    let bytes = BYTES.get() - before;
    assert_eq!(told.count(), 4_096);
    // A vector that doubles from 100 to 6,400 tokens.
    assert!(bytes <= 2 * 6_400 * 4, "{bytes} bytes");
}

#[test]
fn a_tape_that_ends_is_a_fault_of_the_step() {
    let mut sampler = session(2.0, Version::V2);
    let mut tape = Tape::new(&[0.1, 0.9]);
    let broken = generate(&mut sampler, &mut tape, &mut always([1.0, 0.0]), 9, &[]).unwrap_err();
    assert_eq!(
        broken.fault,
        Fault::Step(Error::UniformsExhausted { length: 2 })
    );
    assert_eq!(broken.tokens, [0, 1]);
    assert_eq!((tape.position(), sampler.steps()), (2, 2));
}

#[test]
fn a_failure_tells_its_cause() {
    let mut model = |_: &[u32]| Err::<[f32; 2], _>(std::io::Error::other("the device is gone"));
    let broken = generate(
        &mut session(2.0, Version::V2),
        &mut Uniforms::new(0, 0),
        &mut model,
        3,
        &[],
    )
    .unwrap_err();
    let broken: Box<dyn std::error::Error> = Box::new(broken);
    assert_eq!(
        broken.to_string(),
        "after 0 tokens: the model failed: the device is gone"
    );
    assert!(broken.source().unwrap().source().is_some());
    let of_step: GenerationError<String> = GenerationError {
        fault: Fault::Step(Error::AllMasked),
        tokens: vec![1, 2],
        steps: vec![],
    };
    assert!(
        of_step
            .to_string()
            .starts_with("after 2 tokens: the step failed: every logit")
    );
}

#[test]
fn any_source_serves_even_behind_a_pointer() {
    let mut sources: [Box<dyn UniformSource>; 3] = [
        Box::new(Uniforms::new(1, 1)),
        Box::new(ParkMiller::new(1).unwrap()),
        Box::new(Tape::new(&[0.5; 4])),
    ];
    for source in &mut sources {
        let told = generate(
            &mut session(2.0, Version::V1),
            &mut **source,
            &mut always([1.0_f32, 0.0]),
            4,
            &[],
        );
        assert_eq!(told.unwrap().tokens.len(), 4);
    }
}
