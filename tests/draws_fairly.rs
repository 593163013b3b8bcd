//! Tokens come as often as their probabilities say, in every order and by every path, and never where the probability is 0.
//!
//! The bound of each chi-square statistic is the 99.99 % quantile of its distribution; seeds are fixed, so a test passes or fails for
//! good. What is expected comes from the reference, in f64.

use mirostat::reference::{Distribution, Rule, v1_kept, v2_kept};
use mirostat::{
    Config, ConfigBuilder, DrawOrder, Level, Numerics, Row, Sampler, Scratch, SurpriseBasis,
    Version, bf16, f16,
};
use mirostat_rows::Rng;

const BOTH: [Version; 2] = [Version::V1, Version::V2];
const ORDERS: [DrawOrder; 3] = [DrawOrder::Rule, DrawOrder::Id, DrawOrder::Rank];
const MASKED: f32 = f32::NEG_INFINITY;
const LARGEST_BELOW_1: f64 = 1.0 - f64::EPSILON / 2.0;
const DRAWS: usize = 200_000;

/// Wilson and Hilferty: χ²(d) has its 99.99 % quantile within 5 % of d·(1 − 2/(9d) + 3.719·√(2/(9d)))³.
fn quantile(degrees: f64) -> f64 {
    let part = 2.0 / (9.0 * degrees);
    degrees * (1.0 - part + 3.719 * part.sqrt()).powi(3)
}

fn mean_mu(tau: f64, mu: f64) -> ConfigBuilder {
    Config::builder(tau).initial_mu(mu)
}

/// How often each token of `row` comes at the session's mu, which stays.
fn counts(sampler: &mut Sampler, row: Row<'_>, draws: usize, seed: u64) -> Vec<u32> {
    let (mut scratch, mut rng) = (Scratch::new(), Rng(seed));
    let mut counts = vec![0; row.len()];
    let mut read = sampler.read(row, &mut scratch).unwrap();
    for _ in 0..draws {
        counts[read.propose(rng.uniform()).unwrap().token() as usize] += 1;
    }
    counts
}

/// What the reference keeps, as a share for every token, and how many.
fn shares(row: Row<'_>, config: &Config, version: Version) -> (Vec<f64>, usize) {
    let distribution = Distribution::from_logits(&row.to_f64(), config.temperature()).unwrap();
    let (mu, rule) = (config.initial_mu(), Rule::default());
    let kept = match version {
        Version::V1 => {
            v1_kept(&distribution, mu, rule.m, rule.k_rule, rule.vocabulary_size).unwrap()
        }
        Version::V2 => v2_kept(&distribution, mu),
    };
    let probability = |token: u32| distribution.probability(token);
    let mass: f64 = kept.tokens.iter().map(|&token| probability(token)).sum();
    let mut shares = vec![0.0; row.len()];
    for &token in &kept.tokens {
        shares[token as usize] = probability(token) / mass;
    }
    (shares, kept.tokens.len())
}

/// χ² over `bins` runs of neighbours with at least 5 expected each; tokens without a share must not have come.
fn is_fair(counts: &[u32], shares: &[f64], bins: usize) -> bool {
    let draws = f64::from(counts.iter().sum::<u32>());
    let (mut statistic, mut degrees) = (0.0, -1.0);
    let (mut found, mut expected) = (0.0, 0.0);
    for (&count, &share) in counts.iter().zip(shares) {
        assert!(count == 0 || share > 0.0, "drawn without a share");
        (found, expected) = (found + f64::from(count), expected + draws * share);
        if expected >= (draws / bins as f64).max(5.0) {
            statistic += (found - expected) * (found - expected) / expected;
            (degrees, found, expected) = (degrees + 1.0, 0.0, 0.0);
        }
    }
    // What is left over is one more bin if it is large enough.
    if expected >= 5.0 {
        statistic += (found - expected) * (found - expected) / expected;
        degrees += 1.0;
    }
    assert!(degrees >= 2.0, "nothing to test");
    statistic < quantile(degrees)
}

fn falls(len: usize, slope: f64) -> Vec<f32> {
    // In an order that is neither that of ranks nor that of ids.
    (0..len)
        .map(|i| (-slope * ((i * 7919 % len + 1) as f64).ln()) as f32)
        .collect()
}

/// Nearly flat: some 6000 to 9000 tokens are kept at 20 bits.
fn nearly_flat(len: usize) -> Vec<f32> {
    let mut rng = Rng(11);
    (0..len).map(|_| (0.3 * rng.normal()) as f32).collect()
}

#[test]
fn the_test_tells_fair_from_unfair() {
    let shares = [0.5, 0.3, 0.2];
    assert!(is_fair(&[50_100, 29_950, 19_950], &shares, 100));
    assert!(!is_fair(&[51_000, 29_500, 19_500], &shares, 100));
    // What the tables say.
    for (degrees, table) in [(3.0, 21.108), (12.0, 39.134)] {
        assert!((quantile(degrees) / table - 1.0).abs() < 0.05, "{degrees}");
    }
}

#[test]
fn dozens_of_tokens_come_by_their_probabilities() {
    let row = falls(500, 1.1);
    for version in BOTH {
        for order in ORDERS {
            let config = mean_mu(3.0, 7.5).draw_order(order).build().unwrap();
            let (shares, kept) = shares((&row).into(), &config, version);
            assert!((12..200).contains(&kept), "{kept}");
            let mut sampler = Sampler::new(config, version).unwrap();
            let counts = counts(&mut sampler, (&row).into(), DRAWS, 1);
            assert!(is_fair(&counts, &shares, 10_000), "{version:?} {order:?}");
        }
    }
}

#[test]
fn thousands_of_tokens_come_by_their_probabilities() {
    let row = nearly_flat(6000);
    for version in BOTH {
        for order in ORDERS {
            let config = mean_mu(8.0, 20.0).draw_order(order).build().unwrap();
            let (shares, kept) = shares((&row).into(), &config, version);
            assert!(kept > 4096, "{kept}");
            let mut sampler = Sampler::new(config, version).unwrap();
            let counts = counts(&mut sampler, (&row).into(), 20_000, 2);
            assert!(is_fair(&counts, &shares, 50), "{version:?} {order:?}");
        }
    }
}

#[test]
fn thousands_cut_out_of_more_come_by_their_probabilities() {
    let row = nearly_flat(9000);
    let config = mean_mu(8.0, 13.2).build().unwrap();
    let (shares, kept) = shares((&row).into(), &config, Version::V2);
    assert!((4097..9000).contains(&kept), "{kept}");
    for order in ORDERS {
        let config = config.to_builder().draw_order(order).build().unwrap();
        let mut sampler = Sampler::new(config, Version::V2).unwrap();
        let counts = counts(&mut sampler, (&row).into(), 20_000, 3);
        assert!(is_fair(&counts, &shares, 50), "{order:?}");
    }
}

#[test]
fn masks_temperature_and_narrow_elements_change_no_share_but_their_own() {
    let mut row = falls(700, 1.2);
    for (i, logit) in row.iter_mut().enumerate() {
        if i % 3 == 0 {
            *logit = MASKED;
        }
    }
    let narrow: Vec<f16> = row.iter().map(|&x| f16::from_f32(x)).collect();
    let brain: Vec<bf16> = row.iter().map(|&x| bf16::from_f32(x)).collect();
    let exact: Vec<f64> = row[..40].iter().map(|&x| x.into()).collect();
    let rows: [(Row<'_>, usize); 4] = [
        ((&row).into(), DRAWS),
        ((&narrow).into(), DRAWS),
        ((&brain).into(), DRAWS),
        ((&exact).into(), 20_000),
    ];
    for version in BOTH {
        for (row, draws) in rows {
            let config = mean_mu(3.0, 7.03).temperature(1.3);
            let config = config.surprise_basis(SurpriseBasis::Kept).build().unwrap();
            let (shares, kept) = shares(row, &config, version);
            assert!(kept > 5, "{kept}");
            let mut sampler = Sampler::new(config, version).unwrap();
            let counts = counts(&mut sampler, row, draws, 4);
            assert!(is_fair(&counts, &shares, 10_000), "{version:?} {row:?}");
        }
    }
}

#[test]
fn whole_steps_are_as_fair_as_proposals() {
    let row = falls(60, 1.0);
    for version in BOTH {
        // eta so small that mu stays where it is.
        let config = mean_mu(3.0, 5.02).eta(1e-12).build().unwrap();
        let (shares, _) = shares((&row).into(), &config, version);
        let mut sampler = Sampler::new(config, version).unwrap();
        let (mut counts, mut rng) = (vec![0; 60], Rng(5));
        for _ in 0..DRAWS {
            counts[sampler.sample(&row, rng.uniform()).unwrap().token as usize] += 1;
        }
        assert!(is_fair(&counts, &shares, 10_000), "{version:?}");
    }
}

#[test]
fn a_token_of_probability_zero_never_comes() {
    // Masked tokens first, last, in between; and some too far below the best to have a probability.
    let mut compact = falls(300, 0.8);
    let mut dense = nearly_flat(9000);
    for row in [&mut compact, &mut dense] {
        let len = row.len();
        for (i, logit) in row.iter_mut().enumerate() {
            match i % 5 {
                _ if i == 0 || i + 1 == len => *logit = MASKED,
                1 => *logit = MASKED,
                2 if i % 2 == 0 => *logit = -900.0,
                _ => {}
            }
        }
    }
    for (row, draws) in [(compact, DRAWS), (dense, 5000)] {
        let drawable = |token: u32| row[token as usize] > -700.0;
        for version in BOTH {
            for order in ORDERS {
                let config = mean_mu(9.0, 60.0).draw_order(order).build().unwrap();
                let mut sampler = Sampler::new(config, version).unwrap();
                let (mut scratch, mut rng) = (Scratch::new(), Rng(6));
                let mut read = sampler.read(&row, &mut scratch).unwrap();
                let ends = [0.0, f64::from_bits(1), LARGEST_BELOW_1, 1.0 - f64::EPSILON];
                let uniforms = (0..draws).map(|_| rng.uniform());
                for uniform in ends.into_iter().chain(uniforms) {
                    let proposal = read.propose(uniform).unwrap();
                    assert!(
                        drawable(proposal.token()),
                        "{version:?} {order:?} {uniform}"
                    );
                }
                // The ends are the first and the last that can be drawn.
                let ids: Vec<u32> = (0..row.len() as u32).filter(|&t| drawable(t)).collect();
                let mut in_order = ids.clone();
                if order == DrawOrder::Rank || (order, version) == (DrawOrder::Rule, Version::V1) {
                    in_order.sort_by(|&a, &b| row[b as usize].total_cmp(&row[a as usize]));
                }
                assert_eq!(read.support(), ids.len());
                assert_eq!(read.propose(0.0).unwrap().token(), in_order[0]);
                let last = read.propose(LARGEST_BELOW_1).unwrap().token();
                assert_eq!(Some(&last), in_order.last(), "{version:?} {order:?}");
            }
        }
    }
}

#[test]
fn every_level_draws_the_same_tokens() {
    let (compact, dense) = (falls(500, 1.1), nearly_flat(6000));
    for numerics in [Numerics::Fused, Numerics::Portable] {
        for version in BOTH {
            for order in ORDERS {
                for (row, mu, draws) in [(&compact, 7.5, 50_000), (&dense, 20.0, 1500)] {
                    let config = mean_mu(3.0, mu)
                        .draw_order(order)
                        .numerics(numerics)
                        .build()
                        .unwrap();
                    let mut of_levels = Level::ALL.into_iter().filter_map(|level| {
                        let mut sampler = Sampler::on_level(config, version, level).ok()?;
                        Some(counts(&mut sampler, row.into(), draws, 7))
                    });
                    if let Some(first) = of_levels.next() {
                        assert!(
                            of_levels.all(|other| other == first),
                            "{numerics:?} {version:?} {order:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn the_order_of_the_draw_is_the_order_that_was_asked_for() {
    // As u rises the tokens come in id order, or in rank order, and each once.
    for row in [falls(300, 0.5), nearly_flat(5000)] {
        for version in BOTH {
            for order in [DrawOrder::Id, DrawOrder::Rank] {
                let config = mean_mu(9.0, 60.0).draw_order(order).build().unwrap();
                let mut sampler = Sampler::new(config, version).unwrap();
                let mut scratch = Scratch::new();
                let mut read = sampler.read(&row, &mut scratch).unwrap();
                let tokens: Vec<u32> = (0..2000)
                    .map(|i| read.propose(f64::from(i) / 2000.0).unwrap().token())
                    .collect();
                let in_order = tokens.windows(2).all(|pair| {
                    let (a, b) = (row[pair[0] as usize], row[pair[1] as usize]);
                    match order {
                        DrawOrder::Id => pair[0] <= pair[1],
                        _ => a > b || (a == b && pair[0] <= pair[1]),
                    }
                });
                assert!(in_order, "{version:?} {order:?}");
                assert!(tokens[0] != tokens[1999]);
            }
        }
    }
}
