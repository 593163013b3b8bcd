//! What the diagnostics say of a row: the ancestor's vectors, the edges, and what the ancestor got wrong.

use mirostat::diagnostics::{
    entropy, expected_prefix_surprise, perplexity, prefix_entropy, prefix_kl, prefix_mass,
    prefix_surprise_variance,
};
use mirostat::reference::{normalize_weights, probabilities, rank, surprise};
use mirostat::{Error, Result};
use proptest::prelude::*;

type OfPrefix = fn(&[f64], &[u32], usize) -> Result<f64>;

const ALL: [OfPrefix; 5] = [
    prefix_mass,
    expected_prefix_surprise,
    prefix_entropy,
    prefix_surprise_variance,
    prefix_kl,
];
const HALVES: [f64; 3] = [0.5, 0.25, 0.25];

fn close(found: f64, expected: f64) {
    within(found, expected, 1e-12);
}

fn within(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{found}, not {expected}"
    );
}

fn is_zero(found: f64) {
    assert_eq!(found.to_bits(), 0.0_f64.to_bits(), "{found:?}, not +0.0");
}

#[test]
fn the_literals_of_the_ancestor() {
    assert_eq!(entropy(&[0.25; 4]), Ok(2.0));
    assert_eq!(perplexity(2.0), Ok(4.0));
    assert!(perplexity(-1.0).is_err());
    let order = [0, 1, 2];
    assert_eq!(prefix_mass(&HALVES, &order, 1), Ok(0.5));
    assert_eq!(expected_prefix_surprise(&HALVES, &order, 1), Ok(1.0));
    assert_eq!(prefix_kl(&HALVES, &order, 1), Ok(1.0));
    is_zero(prefix_entropy(&HALVES, &order, 1).unwrap());
    is_zero(prefix_kl(&HALVES, &order, 3).unwrap());
    is_zero(prefix_surprise_variance(&HALVES, &order, 1).unwrap());
    assert!(prefix_surprise_variance(&HALVES, &order, 3).unwrap() > 0.0);
}

#[test]
fn the_prefixes_of_one_half_and_two_quarters() {
    let table = [
        (
            2,
            [
                0.75,
                1.3333333333333333,
                0.9182958340544894,
                0.2222222222222223,
                0.4150374992788438,
            ],
        ),
        (3, [1.0, 1.5, 1.5, 0.25, 0.0]),
    ];
    for (keep, expected) in table {
        for (diagnose, expected) in ALL.into_iter().zip(expected) {
            close(diagnose(&HALVES, &[0, 1, 2], keep).unwrap(), expected);
        }
    }
}

#[test]
fn the_previews_of_the_ancestor_are_masses_and_expected_surprises() {
    let row = probabilities(&[3.0, 2.0, 1.0, 0.0, -1.0, -2.0]).unwrap();
    let short = probabilities(&[3.0, 2.0, 1.0]).unwrap();
    let thirds = normalize_weights(&[3.0, 2.0, 1.0]).unwrap();
    let powers = normalize_weights(&[8.0, 4.0, 2.0, 1.0]).unwrap();
    for (row, keep, mass, surprise) in [
        (&row, 4, 0.9841237600235332, 1.3900952185277236),
        (&row, 3, 0.9525741268224331, 1.2709897091437294),
        (&row, 6, 1.0, 1.476252925273043),
        (&short, 3, 0.9999999999999999, 1.2008929779783635),
        (&thirds, 3, 1.0, 1.4591479170272446),
        (&powers, 4, 1.0, 1.640223928941852),
    ] {
        let order = rank(row).unwrap();
        close(prefix_mass(row, &order, keep).unwrap(), mass);
        close(
            expected_prefix_surprise(row, &order, keep).unwrap(),
            surprise,
        );
    }
}

#[test]
fn the_entropies_of_the_ancestor() {
    close(entropy(&[0.7, 0.2, 0.1]).unwrap(), 1.1567796494470395);
    let zipf: Vec<f64> = (1..=256).map(|i| -1.15 * libm::log(f64::from(i))).collect();
    let zipf = probabilities(&zipf).unwrap();
    close(entropy(&zipf).unwrap(), 5.529477736486441);
}

#[test]
fn entropy_is_refused_in_order() {
    assert_eq!(entropy(&[]), Err(Error::EmptyRow));
    for value in [f64::NAN, f64::INFINITY, -0.5] {
        let refused = Err(Error::InvalidProbability { index: 1, value });
        assert_eq!(entropy(&[0.5, value, f64::NAN]), refused);
    }
    let quantity = "the total weight";
    for row in [[0.0; 2], [f64::MAX; 2]] {
        assert_eq!(entropy(&row), Err(Error::NumericalFailure { quantity }));
    }
}

#[test]
fn every_prefix_is_refused_in_order() {
    for diagnose in ALL {
        assert_eq!(diagnose(&[], &[], 0), Err(Error::EmptyRow));
        assert!(matches!(
            diagnose(&HALVES, &[0, 1], 9),
            Err(Error::LengthMismatch {
                expected: 3,
                found: 2,
                ..
            })
        ));
        for token in [0, 3, u32::MAX] {
            let refused = Err(Error::InvalidOrder { position: 1, token });
            assert_eq!(diagnose(&HALVES, &[0, token, 1], 0), refused);
        }
        for value in [f64::NAN, f64::INFINITY, -0.5] {
            let refused = Err(Error::InvalidProbability { index: 2, value });
            assert_eq!(diagnose(&[0.5, 0.5, value], &[1, 2, 0], 0), refused);
        }
        for keep in [0, 4, usize::MAX] {
            let refused = Err(Error::InvalidParameter {
                name: "keep",
                value: keep as f64,
                expected: "between one and the vocabulary size",
            });
            assert_eq!(diagnose(&HALVES, &[0, 1, 2], keep), refused);
        }
        let quantity = "the mass of the prefix";
        let refused = Err(Error::NumericalFailure { quantity });
        assert_eq!(diagnose(&[0.0, 1.0], &[0, 1], 1), refused);
        assert_eq!(diagnose(&[f64::MAX; 2], &[0, 1], 2), refused);
    }
}

#[test]
fn perplexity_has_both_ends() {
    assert_eq!(perplexity(0.0), Ok(1.0));
    assert_eq!(perplexity(-0.0), Ok(1.0));
    assert_eq!(perplexity(1023.0), Ok(2_f64.powi(1023)));
    assert!(perplexity(1024.0_f64.next_down()).unwrap().is_finite());
    let quantity = "the perplexity";
    assert_eq!(
        perplexity(1024.0),
        Err(Error::NumericalFailure { quantity })
    );
    for value in [f64::NAN, f64::INFINITY, -f64::MIN_POSITIVE] {
        let refused = perplexity(value).unwrap_err();
        assert!(matches!(
            refused,
            Error::InvalidParameter {
                name: "average_bits",
                ..
            }
        ));
    }
}

#[test]
fn zero_times_log_zero_is_zero() {
    let masked = [0.0, 0.5, 0.0, 0.25, 0.25];
    let order = rank(&masked).unwrap();
    assert_eq!(entropy(&masked), Ok(1.5));
    for (diagnose, expected) in ALL.into_iter().zip([1.0, 1.5, 1.5, 0.25, 0.0]) {
        assert_eq!(diagnose(&masked, &order, 5), Ok(expected));
        assert_eq!(diagnose(&masked, &order, 3), Ok(expected));
    }
    is_zero(prefix_surprise_variance(&masked, &[0, 1, 2, 3, 4], 3).unwrap());
}

// M1 for bits: an entropy by log10 would be 0.301, by ln 0.693.
#[test]
fn entropy_is_in_bits() {
    assert_eq!(entropy(&[0.5, 0.5]), Ok(1.0));
}

// §23, 4.
#[test]
fn certainty_is_plus_zero() {
    for row in [&[1.0][..], &[0.0, 1.0], &[0.0, 1.0, 0.0]] {
        let order = rank(row).unwrap();
        is_zero(entropy(row).unwrap());
        for keep in 1..=row.len() {
            is_zero(expected_prefix_surprise(row, &order, keep).unwrap());
            is_zero(prefix_entropy(row, &order, keep).unwrap());
            is_zero(prefix_surprise_variance(row, &order, keep).unwrap());
            is_zero(prefix_kl(row, &order, keep).unwrap());
        }
    }
    for weight in [0.3, 1e-300, 5e-324, 1e300] {
        is_zero(entropy(&[weight]).unwrap());
        is_zero(entropy(&[0.0, weight]).unwrap());
        is_zero(prefix_entropy(&[1e300, weight], &[1, 0], 1).unwrap());
        is_zero(prefix_surprise_variance(&[1e300, weight], &[1, 0], 1).unwrap());
    }
}

// §23, 4.
#[test]
fn kl_is_not_negative_when_the_mass_rounds_above_one() {
    let above = [0.5, 0.5_f64.next_up(), f64::EPSILON];
    assert!(prefix_mass(&above, &[0, 1, 2], 3).unwrap() > 1.0);
    is_zero(prefix_kl(&above, &[0, 1, 2], 3).unwrap());
}

// §23, 12.
#[test]
fn a_value_above_one_is_refused_with_its_token() {
    for diagnose in [expected_prefix_surprise, prefix_kl] {
        let refused = diagnose(&[0.5, 0.25, 4.0], &[0, 2, 1], 1);
        let place = Error::InvalidProbability {
            index: 2,
            value: 4.0,
        };
        assert_eq!(refused, Err(place));
    }
}

// §23, 12.
#[test]
fn a_row_that_sums_to_more_than_one_is_no_distribution() {
    for diagnose in [expected_prefix_surprise, prefix_kl] {
        let refused = diagnose(&[1.0, 1.0, 1.0], &[0, 1, 2], 1).unwrap_err();
        assert!(
            matches!(refused, Error::InvalidParameter { value, .. } if value == 3.0),
            "{refused}"
        );
        assert!(
            diagnose(&[0.503, 0.503], &[0, 1], 1).is_ok(),
            "half precision"
        );
        assert!(
            diagnose(&[0.5, 0.1], &[0, 1], 2).is_ok(),
            "the head of a row"
        );
    }
}

// §23, 12: what renormalises may take weights, and then they do not matter.
#[test]
fn a_factor_changes_no_entropy_and_no_variance() {
    let order = [0, 1, 2];
    for factor in [1e-300, 0.1, 3.0, 1e300] {
        let row = HALVES.map(|p| p * factor);
        within(entropy(&row).unwrap(), 1.5, 1e-15);
        within(prefix_entropy(&row, &order, 3).unwrap(), 1.5, 1e-15);
        within(
            prefix_surprise_variance(&row, &order, 3).unwrap(),
            0.25,
            1e-15,
        );
    }
}

// §23, 12: any order is an order, and a prefix of it is what it names.
#[test]
fn an_order_need_not_descend() {
    assert_eq!(prefix_mass(&HALVES, &[2, 0, 1], 1), Ok(0.25));
    assert_eq!(prefix_kl(&HALVES, &[2, 0, 1], 1), Ok(2.0));
    assert_eq!(prefix_entropy(&HALVES, &[2, 1, 0], 2), Ok(1.0));
}

#[test]
fn variance_keeps_its_digits_where_surprises_are_large() {
    // 600 and 601 bits at 2 : 1; the mean of the squares is 3.6e5.
    let row = [2_f64.powi(-600), 2_f64.powi(-601)];
    let variance = prefix_surprise_variance(&row, &[0, 1], 2).unwrap();
    within(variance, 2.0 / 9.0, 1e-13);
    // Two tokens that differ by d nats have (d / (2 ln 2))² in the limit.
    let row = [0.25, 0.25 * (1.0 + 2_f64.powi(-20)), 0.5];
    let variance = prefix_surprise_variance(&row, &[0, 1, 2], 2).unwrap();
    let half = 2_f64.powi(-21) / core::f64::consts::LN_2;
    within(variance / (half * half), 1.0, 1e-5);
    is_zero(prefix_surprise_variance(&[0.1; 7], &[6, 5, 4, 3, 2, 1, 0], 7).unwrap());
}

#[test]
fn a_nearly_certain_row_keeps_its_entropy() {
    // (ln(1 + r) - r·ln r / (1 + r)) / ln 2 at r = 2^-60: 60·r bits and r nats.
    let rest = 2_f64.powi(-60);
    let expected = rest * (60.0 + core::f64::consts::LOG2_E);
    within(entropy(&[1.0, rest]).unwrap() / expected, 1.0, 1e-14);
    within(entropy(&[rest, 0.0, 1.0]).unwrap() / expected, 1.0, 1e-14);
}

fn rows() -> impl Strategy<Value = Vec<f64>> {
    let weight =
        prop_oneof![6 => 1e-6_f64..1.0, 1 => Just(0.0), 1 => Just(0.5), 1 => 1e-30_f64..1e-20];
    proptest::collection::vec(weight, 1..40)
        .prop_filter("a token can be drawn", |row| row.iter().any(|&p| p > 0.0))
        .prop_map(|row| normalize_weights(&row).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// The ancestor's own formulas, by the definitions of its document.
    #[test]
    fn the_formulas_agree_with_the_ancestor(row in rows(), part in 0.0_f64..1.0) {
        let order = rank(&row).unwrap();
        let keep = 1 + (part * row.len() as f64) as usize;
        let keep = keep.min(row.len());
        let kept: Vec<f64> = order[..keep].iter().map(|&t| row[t as usize]).filter(|&p| p > 0.0).collect();
        let mass: f64 = kept.iter().sum();
        let mean = kept.iter().map(|&p| p * surprise(p).unwrap()).sum::<f64>() / mass;
        let square = kept.iter().map(|&p| p * surprise(p).unwrap().powi(2)).sum::<f64>() / mass;
        let expected = [mass, mean, mean + mass.log2(), (square - mean * mean).max(0.0), (-mass.log2()).max(0.0)];
        for (diagnose, expected) in ALL.into_iter().zip(expected) {
            within(diagnose(&row, &order, keep).unwrap(), expected, 1e-12);
        }
        let whole = row.iter().filter(|&&p| p > 0.0).map(|&p| p * surprise(p).unwrap()).sum::<f64>();
        within(entropy(&row).unwrap(), whole, 1e-12);
    }

    #[test]
    fn nothing_is_negative_or_minus_zero(row in rows(), seed in any::<u64>()) {
        let mut order = rank(&row).unwrap();
        let turn = seed as usize % order.len();
        order.rotate_left(turn);
        for diagnose in ALL {
            for keep in 1..=row.len() {
                match diagnose(&row, &order, keep) {
                    Ok(bits) => prop_assert!(bits.is_finite() && bits.is_sign_positive()),
                    Err(refused) => {
                        let quantity = "the mass of the prefix";
                        prop_assert_eq!(refused, Error::NumericalFailure { quantity });
                    }
                }
            }
        }
    }
}
