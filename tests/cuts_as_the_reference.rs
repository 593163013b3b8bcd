//! Every fixed sampler cuts and draws as the f64 reference does, on every level and element type.

use mirostat::reference::{Distribution, Truncation};
use mirostat::{DrawOrder, FixedSampler, Level, Row, Scratch};
use mirostat_rows::{bf16_row, f16_row, named};
use proptest::prelude::*;
use strategies::{rows, settings, uniforms};

mod strategies;

/// What single precision may shift a sum of probabilities by.
const MASS: f64 = 1e-6;
/// What it may shift a draw by.
const UNIFORM: f64 = 2e-6;
/// How near the edge a token may be kept or not, in bits.
const EDGE_BITS: f64 = 1.0 / 524_288.0;

/// The tokens that may be drawn, in rank order, and the counts that the contract allows to be kept of them.
fn allowed(
    of: &Distribution,
    truncation: Truncation,
) -> (Vec<u32>, std::ops::RangeInclusive<usize>) {
    let ranking: Vec<u32> = of
        .ranking(of.len())
        .into_iter()
        .filter(|&t| of.probability(t) > 0.0 || of.surprise_bits(t).is_finite())
        .collect();
    let exact = truncation.kept(of).expect("a sound truncation").count;
    let within = |edge_bits: f64| {
        let count = |slack: f64| {
            ranking
                .iter()
                .filter(|&&t| of.surprise_bits(t) <= edge_bits + slack)
                .count()
        };
        count(-EDGE_BITS).max(1)..=count(EDGE_BITS).max(1)
    };
    let range = match truncation {
        Truncation::MinP(share) if share > 0.0 => {
            within(of.surprise_bits(of.greatest()) - libm::log2(share))
        }
        Truncation::Epsilon(least) if least > 0.0 => {
            // Where nothing reaches it the likeliest alone stays.
            let near = within(-libm::log2(least));
            (*near.start()).min(exact)..=(*near.end()).max(exact)
        }
        Truncation::TopP(p) if p < 1.0 => {
            let (mut running, mut least, mut most) = (0.0, None, ranking.len());
            for (i, &token) in ranking.iter().enumerate() {
                running += of.probability(token);
                if running >= p - MASS && least.is_none() {
                    least = Some(i + 1);
                }
                if running >= p + MASS {
                    most = i + 1;
                    break;
                }
            }
            least.unwrap_or(ranking.len())..=most
        }
        _ => exact..=exact,
    };
    (ranking, range)
}

/// A sampler for each level of this machine.
fn on_every_level(
    truncation: Truncation,
    temperature: f64,
    order: DrawOrder,
) -> Result<Vec<(Level, FixedSampler)>, String> {
    let sampler = FixedSampler::new(truncation)
        .and_then(|s| s.with_temperature(temperature))
        .map_err(|e| e.to_string())?
        .with_draw_order(order);
    let on_level = |level| Some((level, sampler.on_level(level).ok()?));
    Ok(Level::ALL.into_iter().filter_map(on_level).collect())
}

fn check(
    row: Row<'_>,
    truncation: Truncation,
    temperature: f64,
    order: DrawOrder,
    uniform: f64,
) -> Result<usize, String> {
    let of = Distribution::from_logits(&row.to_f64(), temperature).map_err(|e| e.to_string())?;
    let (ranking, range) = allowed(&of, truncation);
    let mut scratch = Scratch::new();
    let mut ran = 0;
    for (level, sampler) in on_every_level(truncation, temperature, order)? {
        let drawn = sampler
            .draw_in(row, uniform, &mut scratch)
            .map_err(|e| e.to_string())?;
        let at = format!(
            "{truncation:?}, T {temperature}, {order:?}, u {uniform} on {}: {drawn:?}",
            level.name()
        );
        if !range.contains(&drawn.kept) {
            return Err(format!("{at}, allowed {range:?}"));
        }
        let mut walk = ranking[..drawn.kept.min(ranking.len())].to_vec();
        if order == DrawOrder::Id {
            walk.sort_unstable();
        }
        let total: f64 = walk.iter().map(|&t| of.probability(t)).sum();
        let place = walk
            .iter()
            .position(|&t| t == drawn.token)
            .ok_or_else(|| format!("{at} is not kept"))?;
        let before = walk[..place]
            .iter()
            .map(|&t| of.probability(t))
            .sum::<f64>()
            / total;
        let upto = before + of.probability(drawn.token) / total;
        if uniform < before - UNIFORM || uniform > upto + UNIFORM {
            return Err(format!("{at}, but has [{before}, {upto})"));
        }
        ran += 1;
    }
    Ok(ran)
}

fn truncations(vocabulary: usize) -> impl Strategy<Value = Truncation> {
    prop_oneof![
        Just(Truncation::None),
        (0.0_f64..1.0)
            .prop_map(move |x| Truncation::TopK(1 + (x * x * x * vocabulary as f64) as usize)),
        prop_oneof![0.01_f64..1.0, 0.9_f64..1.0, Just(1.0)].prop_map(Truncation::TopP),
        prop_oneof![Just(0.0), Just(1.0), 1e-6_f64..1.0, Just(1e-300)].prop_map(Truncation::MinP),
        prop_oneof![Just(0.0), Just(1.0), 1e-9_f64..0.1, 1e-4_f64..1e-2]
            .prop_map(Truncation::Epsilon),
    ]
}

proptest! {
    #![proptest_config(settings())]

    #[test]
    fn any_row_any_truncation(
        (row, truncation) in rows().prop_flat_map(|row| { let n = row.len(); (Just(row), truncations(n)) }),
        temperature in prop_oneof![3 => Just(1.0), 2 => 0.3_f64..2.0, 1 => prop_oneof![Just(1e-3), Just(50.0)]],
        by_id in any::<bool>(),
        uniform in uniforms(),
        element in 0..3,
    ) {
        let (halves, brains) = (f16_row(&row), bf16_row(&row));
        let row = match element {
            0 => Row::from(&row),
            1 => Row::from(&halves),
            _ => Row::from(&brains),
        };
        let order = if by_id { DrawOrder::Id } else { DrawOrder::Rank };
        let ran = check(row, truncation, temperature, order, uniform);
        prop_assert!(ran.as_ref().is_ok_and(|&n| n > 0), "{ran:?}");
    }
}

#[test]
fn every_named_row() {
    for named in named() {
        let n = named.row.len();
        let truncations = [
            Truncation::None,
            Truncation::TopK(1),
            Truncation::TopK(40.min(n)),
            Truncation::TopK(n),
            Truncation::TopK(4_500.min(n)),
            Truncation::TopP(0.5),
            Truncation::TopP(0.97),
            Truncation::MinP(0.05),
            Truncation::Epsilon(3e-4),
        ];
        for truncation in truncations {
            for order in [DrawOrder::Id, DrawOrder::Rule] {
                if let Err(breach) = check(Row::from(&named.row), truncation, 1.0, order, 0.6) {
                    panic!("{}: {breach}", named.name);
                }
            }
        }
    }
}

/// The support by deviation of surprise from the entropy, nearest first.
fn by_deviation(of: &Distribution) -> Vec<(f64, u32)> {
    let entropy = of.entropy_bits();
    let mut order: Vec<(f64, u32)> = (0..of.len() as u32)
        .filter(|&t| of.surprise_bits(t).is_finite())
        .map(|t| (libm::fabs(of.surprise_bits(t) - entropy), t))
        .collect();
    order.sort_by(|a, b| a.partial_cmp(b).expect("no NaN"));
    order
}

/// Whether the `n` nearest tokens may be what is kept, where deviations closer than single precision tells apart may stand in any order:
/// then n of the sure and the unsure together reach the mass, and n − 1 do not yet.
fn may_keep(of: &Distribution, near: &[(f64, u32)], prefix: &[f64], mass: f64, n: usize) -> bool {
    if n == 0 || n > near.len() {
        return false;
    }
    let reaching = |mass: f64| {
        let place = prefix.partition_point(|&sum| sum < mass);
        near[place.clamp(1, near.len()) - 1].0
    };
    let least = reaching(mass - MASS) - 2.0 * EDGE_BITS;
    let most = reaching(mass + MASS) + 2.0 * EDGE_BITS;
    let sure = near.partition_point(|&(deviation, _)| deviation < least);
    let unsure = near.partition_point(|&(deviation, _)| deviation <= most);
    if n < sure || n > unsure {
        return false;
    }
    let mut weights: Vec<f64> = near[sure..unsure]
        .iter()
        .map(|&(_, token)| of.probability(token))
        .collect();
    weights.sort_by(f64::total_cmp);
    let lightest: f64 = weights.iter().take((n - sure).saturating_sub(1)).sum();
    let heaviest: f64 = weights.iter().rev().take(n - sure).sum();
    let enough = n == near.len() || prefix[sure] + heaviest >= mass - MASS;
    enough && (n == sure || prefix[sure] + lightest < mass + MASS)
}

fn check_typical(
    row: Row<'_>,
    mass: f64,
    temperature: f64,
    order: DrawOrder,
    uniform: f64,
) -> Result<(), String> {
    let of = Distribution::from_logits(&row.to_f64(), temperature).map_err(|e| e.to_string())?;
    let near = by_deviation(&of);
    let mut prefix = vec![0.0];
    for &(_, token) in &near {
        prefix.push(prefix[prefix.len() - 1] + of.probability(token));
    }
    let mut scratch = Scratch::new();
    for (level, sampler) in on_every_level(Truncation::Typical(mass), temperature, order)? {
        let drawn = sampler
            .draw_in(row, uniform, &mut scratch)
            .map_err(|e| e.to_string())?;
        let at = format!(
            "typical {mass}, T {temperature}, {order:?}, u {uniform} on {}: {drawn:?}",
            level.name()
        );
        let n = drawn.kept;
        if !may_keep(&of, &near, &prefix, mass, n) {
            return Err(format!("{at}, which weigh {:?}", prefix.get(n)));
        }
        // Where the edge passes between deviations that single precision cannot tell apart, either may stay.
        let edge = near[n - 1].0;
        let place = near.iter().position(|&(_, t)| t == drawn.token);
        let place = place.ok_or_else(|| format!("{at} has no probability"))?;
        if near[place].0 > edge + 2.0 * EDGE_BITS {
            return Err(format!("{at} is not kept"));
        }
        let unsure = near
            .get(n)
            .is_some_and(|next| next.0 - edge < 2.0 * EDGE_BITS);
        let close = near[..n]
            .windows(2)
            .any(|w| w[1].0 - w[0].0 < 2.0 * EDGE_BITS);
        if unsure || (close && order == DrawOrder::Rule) {
            continue;
        }
        let mut walk: Vec<u32> = near[..n].iter().map(|&(_, t)| t).collect();
        match order {
            DrawOrder::Id => walk.sort_unstable(),
            DrawOrder::Rank => {
                walk = of
                    .ranking(of.len())
                    .into_iter()
                    .filter(|t| walk.contains(t))
                    .collect()
            }
            DrawOrder::Rule => {}
        }
        let place = walk.iter().position(|&t| t == drawn.token);
        let place = place.ok_or_else(|| format!("{at} is not kept"))?;
        let before: f64 = walk[..place].iter().map(|&t| of.probability(t)).sum();
        let upto = before + of.probability(drawn.token);
        if uniform < before / prefix[n] - UNIFORM || uniform > upto / prefix[n] + UNIFORM {
            return Err(format!("{at}, but has [{before}, {upto}) of {}", prefix[n]));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(settings())]

    #[test]
    fn any_row_typical(
        row in rows(),
        mass in prop_oneof![0.01_f64..1.0, 0.9_f64..1.0, Just(1.0)],
        temperature in prop_oneof![2 => Just(1.0), 1 => 0.3_f64..2.0],
        order in prop::sample::select(&[DrawOrder::Rule, DrawOrder::Id, DrawOrder::Rank][..]),
        uniform in uniforms(),
    ) {
        let checked = check_typical(Row::from(&row), mass, temperature, order, uniform);
        prop_assert!(checked.is_ok(), "{checked:?}");
    }
}

#[test]
fn typical_on_every_named_row() {
    for named in named().into_iter().filter(|n| n.row.len() <= 6_000) {
        for mass in [0.2, 0.95, 1.0] {
            if let Err(breach) =
                check_typical(Row::from(&named.row), mass, 1.0, DrawOrder::Rule, 0.6)
            {
                panic!("{}: {breach}", named.name);
            }
        }
    }
}

// The first thousand masked hide the greatest, the mass rounds to nothing, and more ties than a list holds lie nearest.
#[test]
fn the_least_mass_keeps_one_of_thousands_of_ties() {
    let mut row = vec![f32::NEG_INFINITY; 1024];
    row.push(-5.4);
    row.extend(std::iter::repeat_n(-11.72, 5000));
    for order in [DrawOrder::Rule, DrawOrder::Id, DrawOrder::Rank] {
        check_typical(Row::from(&row), 5e-324, 1.0, order, 0.3).unwrap();
    }
}
