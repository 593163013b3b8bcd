//! Any bytes as row, configuration and uniform: the kernels against the reference, by the contract.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::{Corpus, fuzz_target};
use mirostat::reference::Distribution;
use mirostat::{Row, Sampler, SamplerState, Scratch};
use mirostat_contract::{Outcome, check, check_session};
use mirostat_fuzz::{Element, Number, Recipe, Settings, level, version};

#[derive(Arbitrary, Debug)]
struct Input {
    settings: Settings,
    level: u8,
    second: bool,
    uniform: Uniform,
    /// Where mu is put instead of where the configuration starts it: this many 2^−22 bits from the surprise of a token, or anywhere.
    mu: Mu,
    element: Element,
    recipe: Recipe,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Uniform {
    Inside(u32),
    AlmostOne,
    Any(Number),
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Mu {
    AsConfigured,
    AtToken(u16, i8),
    /// At the whole number of bits that a flat row of 2^n tokens has.
    Whole(i8),
    Any(Number),
}

fn mu_of(mu: Mu, row: Row<'_>, temperature: f64) -> Option<f64> {
    let mu = match mu {
        Mu::AsConfigured => return None,
        Mu::AtToken(token, offset) => {
            let distribution = Distribution::from_logits(&row.to_f64(), temperature).ok()?;
            let token = u32::from(token) % distribution.len() as u32;
            distribution.surprise_bits(token) + f64::from(offset) / 4_194_304.0
        }
        Mu::Whole(bits) => f64::from(bits),
        Mu::Any(number) => number.f64(),
    };
    mu.is_finite().then_some(mu)
}

fuzz_target!(|input: Input| -> Corpus {
    let Some(mut config) = input.settings.config() else {
        return Corpus::Reject;
    };
    let made = input.recipe.make(input.element);
    let row = made.row();
    let version = version(input.second);
    let uniform = match input.uniform {
        Uniform::Inside(x) => f64::from(x) / 4_294_967_296.0,
        Uniform::AlmostOne => 1.0 - f64::EPSILON / 2.0,
        Uniform::Any(number) => number.f64(),
    };
    let mu = mu_of(input.mu, row, config.temperature());
    if let Some(mu) = mu {
        // A session on a chosen level starts where its configuration says; bounds put it anywhere, below 0 too.
        let builder = config
            .to_builder()
            .initial_mu(mu.max(0.0))
            .mu_bounds(mu, mu + 1.0);
        match builder.build() {
            Ok(there) => config = there,
            Err(_) => return Corpus::Reject,
        }
    }
    match check(row, &config, version, level(input.level), uniform) {
        Ok(Outcome::Unsupported) => return Corpus::Reject,
        Ok(_) => {}
        Err(breach) => panic!("{breach}\n{config:?} {version:?} u = {uniform:?}\nrow: {row:?}"),
    }
    // The same, now and then, on the machine's own level, from a state, in a scratch that another row has been through.
    if input.level < 192 {
        return Corpus::Keep;
    }
    let mut scratch = Scratch::new();
    let state = SamplerState::new(version, config.initial_mu(), 7).expect("a finite mu");
    let Ok(mut session) = Sampler::from_state(config, state) else {
        return Corpus::Reject;
    };
    let _ = session.sample_in(&[1.0_f32; 300], 0.5, &mut scratch);
    if let Err(breach) = check_session(&session, row, uniform, &mut scratch) {
        panic!(
            "used: {breach}\n{config:?} {version:?} mu = {} u = {uniform:?}\nrow: {row:?}",
            session.mu()
        );
    }
    Corpus::Keep
});
