//! Every kernel, on every level of this machine, does what a few plain lines of f64 do.

use half::{bf16, f16};
// For its kernels: they are compiled there, and need not be compiled here again.
use mirostat as _;
use mirostat_kernels::{
    Candidates, Cut, Distance, Element, Engine, FEW, Found, Frame, Kept, List, Mass, Maxima, Parts,
    Stays, Summary, Weighed, blocks, choose_in_blocks, choose_listed, choose_whole, count_at_least,
    entropy_bits, first_equal, gather, group_max, kth, logit, mass_cut, mass_near, mass_select,
    rank_cut, stats, stats_and_entropy, top_m,
};
use mirostat_rows::{bf16_row, f16_row, named};
use std::f64::consts::LOG2_E;

/// Under an emulator only the shorter rows.
fn longest() -> usize {
    if std::env::var_os("MIROSTAT_SMALL").is_some() {
        4200
    } else {
        usize::MAX
    }
}

/// A row with all that is known of it, by the kernels and plainly.
struct Case<'a, E> {
    name: String,
    engine: Engine,
    row: &'a [E],
    maxima: Vec<Maxima>,
    sums: Vec<f32>,
    summary: Summary,
    room: Candidates,
    /// Ids in rank order, masked ones left out.
    ranking: Vec<u32>,
}

impl<'a, E: Element> Case<'a, E> {
    fn new(name: &str, engine: Engine, row: &'a [E], scale: f64) -> Self {
        let mut maxima = vec![Maxima::NONE; blocks(row.len())];
        let mut sums = vec![0.0; blocks(row.len())];
        let summary = stats(engine, row, scale, &mut maxima, &mut sums).expect("a sound row");
        let mut room = Candidates::new();
        room.reserve(blocks(row.len()));
        let mut ranking: Vec<u32> = (0..row.len() as u32)
            .filter(|&i| logit(row, i) > f32::NEG_INFINITY)
            .collect();
        ranking.sort_by(|&a, &b| {
            let (x, y) = (logit(row, a), logit(row, b));
            y.partial_cmp(&x).expect("no NaN").then(a.cmp(&b))
        });
        let name = format!("{name} on {:?}", engine);
        Self {
            name,
            engine,
            row,
            maxima,
            sums,
            summary,
            room,
            ranking,
        }
    }

    fn value(&self, id: u32) -> f64 {
        f64::from(logit(self.row, id))
    }

    /// exp of the distance to the greatest logit.
    fn weight(&self, id: u32) -> f64 {
        let scale = self.summary.frame.scale;
        libm::exp2((self.value(id) - f64::from(self.summary.max)) * scale)
    }

    /// The cut that keeps the `k` best.
    fn cut_of(&self, k: usize) -> Cut {
        let last = self.ranking[k - 1];
        Cut::with_ties(logit(self.row, last), last)
    }

    /// Whether `id` is where the running weight of `order` passes u times the total, give or take what single precision may shift.
    fn is_due(&self, order: &[u32], uniform: f64, id: u32) -> bool {
        let total: f64 = order.iter().map(|&i| self.weight(i)).sum();
        let mut running = 0.0;
        for &i in order {
            let before = running / total;
            running += self.weight(i);
            if i == id {
                return before <= uniform + 2e-6 && running / total >= uniform - 2e-6;
            }
        }
        false
    }

    /// Whether a search counted and weighed what it found: all of it, and block by block.
    fn is_weighed<S: Stays>(&self, kept: Kept<'_, E, S>, weighed: Weighed, at: &str) {
        let top = libm::exp2(self.summary.frame.exponent(self.summary.max));
        let (mut n, mut total) = (0, 0.0);
        for (b, &part) in self.room.parts()[..blocks(self.row.len())]
            .iter()
            .enumerate()
        {
            total += f64::from(part);
            let mut due = 0.0;
            for id in 256 * b..self.row.len().min(256 * (b + 1)) {
                if kept.stays.keeps(id as u32, logit(self.row, id as u32)) {
                    n += 1;
                    due += self.weight(id as u32) * top;
                }
            }
            let error = (f64::from(part) - due).abs();
            assert!(
                error <= 2e-6 * due + 1e-35,
                "{at}: block {b} weighs {part:e}, not {due:e}"
            );
        }
        assert_eq!((n, total), (weighed.kept, weighed.total), "{at}");
    }
}

/// Runs `check` for every named row, element type, level and numerics, and a few temperatures.
macro_rules! for_all {
    ($case:ident => $check:expr) => {
        for named in named().into_iter().filter(|n| n.row.len() <= longest()) {
            for engine in Engine::available() {
                for scale in [LOG2_E, LOG2_E / 0.7] {
                    let halves: Vec<f16> = f16_row(&named.row);
                    let brains: Vec<bf16> = bf16_row(&named.row);
                    let $case = &mut Case::new(&named.name, engine, &named.row[..], scale);
                    $check;
                    let $case =
                        &mut Case::new(&format!("{} f16", named.name), engine, &halves[..], scale);
                    $check;
                    let $case =
                        &mut Case::new(&format!("{} bf16", named.name), engine, &brains[..], scale);
                    $check;
                }
            }
        }
    };
}

const UNIFORMS: [f64; 6] = [0.0, 0.1, 0.5, 0.9, 0.999_999, 1.0 - f64::EPSILON / 2.0];

#[test]
fn one_read_tells_maximum_total_and_masks() {
    for_all!(case => {
        let best = case.value(case.ranking[0]);
        assert_eq!(f64::from(case.summary.max), best, "{}", case.name);
        assert_eq!(case.summary.max.to_bits(), (case.summary.max + 0.0).to_bits(), "{}: -0.0", case.name);
        assert_eq!(case.summary.masked, case.row.len() - case.ranking.len(), "{}", case.name);
        let total: f64 = case.ranking.iter().map(|&i| case.weight(i)).sum();
        let log_z = best * case.summary.frame.scale / LOG2_E + libm::log(total);
        let error = (case.summary.log_z_nats() - log_z).abs();
        assert!(error <= 5e-7 + 1e-15 * log_z.abs(), "{}: ln Z off by {error:e}", case.name);
        let mut again = case.maxima.clone();
        assert_eq!(group_max(case.engine, case.row, &mut again), Ok(case.summary.max), "{}", case.name);
        assert_eq!(again, case.maxima, "{}", case.name);
        let first = case.ranking[0];
        assert_eq!(first_equal(case.row, &case.maxima, case.summary.max), first, "{}", case.name);
    });
}

#[test]
fn entropy_is_that_of_the_softmax() {
    for_all!(case => {
        let total: f64 = case.ranking.iter().map(|&i| case.weight(i)).sum();
        let plain: f64 = case.ranking.iter().map(|&i| case.weight(i) / total)
            .filter(|&p| p > 0.0).map(|p| -p * libm::log2(p)).sum();
        let ours = entropy_bits(case.engine, case.row, &case.summary);
        assert!((ours - plain).abs() <= 2e-6 * (1.0 + plain), "{}: {ours} for {plain}", case.name);
        assert!(ours.is_sign_positive(), "{}", case.name);
    });
}

#[test]
fn entropy_comes_with_the_same_statistics() {
    for_all!(case => {
        let (mut maxima, mut sums) = (case.maxima.clone(), case.sums.clone());
        maxima.fill(Maxima::NONE);
        sums.fill(0.0);
        let scale = case.summary.frame.scale;
        let (summary, bits) = stats_and_entropy(case.engine, case.row, scale, &mut maxima, &mut sums).expect("a sound row");
        assert_eq!((summary, &maxima, &sums), (case.summary, &case.maxima, &case.sums), "{}", case.name);
        let second_read = entropy_bits(case.engine, case.row, &summary);
        assert!((bits - second_read).abs() <= 2e-6 * (1.0 + second_read), "{}: {bits} for {second_read}", case.name);
        assert!(bits.is_sign_positive(), "{}", case.name);
    });
}

/// Ks near every limit of a row: lists, blocks, all.
fn some_ks(finite: usize) -> Vec<usize> {
    let mut ks = vec![
        1,
        2,
        15,
        16,
        17,
        40,
        100,
        257,
        1000,
        FEW - 1,
        FEW,
        FEW + 1,
        finite / 2,
        finite - finite.min(2),
        finite,
    ];
    ks.retain(|&k| k >= 1 && k <= finite);
    ks.sort_unstable();
    ks.dedup();
    ks
}

#[test]
fn kth_is_the_cut_of_a_full_sort() {
    for_all!(case => {
        for k in some_ks(case.ranking.len()) {
            let cut = kth(case.engine, case.row, (case.summary.max, case.ranking.len()), k, &mut case.room);
            let kept: Vec<u32> = (0..case.row.len() as u32).filter(|&i| cut.keeps(i, logit(case.row, i))).collect();
            let mut best = case.ranking[..k].to_vec();
            best.sort_unstable();
            assert_eq!(kept, best, "{}: k = {k}", case.name);
        }
    });
}

#[test]
fn top_m_lists_the_best_and_none_before_them() {
    for_all!(case => {
        for m in some_ks(case.ranking.len()).into_iter().filter(|&m| m <= FEW) {
            let n = top_m(case.engine, case.row, case.summary.max, &case.maxima, m, &mut case.room);
            assert!(n >= m && n <= FEW, "{}: {n} for m = {m}", case.name);
            case.room.rank(n, m);
            let listed: Vec<u32> = (0..m).map(|i| case.room.listed(i).0).collect();
            assert_eq!(listed, case.ranking[..m], "{}: m = {m}", case.name);
            let mut all: Vec<u32> = (0..n).map(|i| case.room.listed(i).0).collect();
            all.sort_unstable();
            let mut best = case.ranking[..n].to_vec();
            best.sort_unstable();
            assert_eq!(all, best, "{}: the list is not a beginning of the ranking", case.name);
        }
    });
}

#[test]
fn gather_lists_what_a_filter_keeps() {
    for_all!(case => {
        for k in some_ks(case.ranking.len()) {
            for cut in [case.cut_of(k), Cut::at(logit(case.row, case.ranking[k - 1]))] {
                let kept: Vec<u32> = (0..case.row.len() as u32).filter(|&i| cut.keeps(i, logit(case.row, i))).collect();
                match gather(case.engine, case.row, &case.maxima, cut, &mut case.room) {
                    Found::Many => assert!(kept.len() > FEW, "{}: k = {k}: {} are not many", case.name, kept.len()),
                    Found::Few(n) => {
                        let listed: Vec<u32> = (0..n).map(|i| case.room.listed(i).0).collect();
                        assert_eq!(listed, kept, "{}: k = {k}", case.name);
                    }
                }
            }
        }
    });
}

#[test]
fn counts_are_counts() {
    for_all!(case => {
        let n = case.ranking.len();
        let edges = [0, n / 3, n / 2, n - 1].map(|i| logit(case.row, case.ranking[i]));
        let plain = edges.map(|e| (0..case.row.len() as u32).filter(|&i| logit(case.row, i) >= e).count());
        assert_eq!(count_at_least(case.engine, case.row, edges), plain, "{}", case.name);
    });
}

#[test]
fn a_listed_choice_is_due_and_does_not_depend_on_how_the_list_stands() {
    for_all!(case => {
        let (top, scale) = (case.summary.max, case.summary.frame.scale);
        for k in some_ks(case.ranking.len()).into_iter().filter(|&k| k <= FEW) {
            let Found::Few(n) = gather(case.engine, case.row, &case.maxima, case.cut_of(k), &mut case.room) else {
                panic!("{}: k = {k} is few", case.name)
            };
            let mut by_id = case.ranking[..k].to_vec();
            by_id.sort_unstable();
            for uniform in UNIFORMS {
                let by_ids = choose_listed(case.engine, List { n, ordered: n, top, scale }, uniform, &mut case.room);
                assert!(case.is_due(&by_id, uniform, by_ids.id), "{}: k = {k}, u = {uniform}", case.name);
                let mut unsorted = case.room.clone();
                let parted = choose_listed(case.engine, List { n, ordered: 0, top, scale }, uniform, &mut unsorted);
                assert!(case.is_due(&case.ranking[..k], uniform, parted.id), "{}: k = {k}, u = {uniform}", case.name);
                let mut half = case.room.clone();
                half.rank(n, n / 2);
                let half = choose_listed(case.engine, List { n, ordered: n / 2, top, scale }, uniform, &mut half);
                let mut sorted = case.room.clone();
                sorted.rank(n, n);
                let sorted = choose_listed(case.engine, List { n, ordered: n, top, scale }, uniform, &mut sorted);
                assert_eq!((sorted, sorted.total.to_bits()), (parted, by_ids.total.to_bits()), "{}: k = {k}, u = {uniform}", case.name);
                assert_eq!(sorted, half, "{}: k = {k}, u = {uniform}", case.name);
            }
        }
    });
}

#[test]
fn a_choice_in_blocks_is_due_in_id_order_and_in_rank_order() {
    for_all!(case => {
        for k in some_ks(case.ranking.len()) {
            let kept = Kept { row: case.row, frame: case.summary.frame, stays: case.cut_of(k), maxima: &case.maxima, sums: &case.sums };
            let mut by_id = case.ranking[..k].to_vec();
            by_id.sort_unstable();
            for uniform in UNIFORMS {
                let chosen = choose_in_blocks(case.engine, kept, uniform, &mut case.room);
                assert_eq!(chosen.kept, k, "{}", case.name);
                assert!(case.is_due(&by_id, uniform, chosen.id), "{}: k = {k}, u = {uniform}", case.name);
                let mass = Mass { top: case.summary.max, total: chosen.total };
                let ranked = mass_select(case.engine, kept, mass, uniform, &mut case.room);
                assert!(case.is_due(&case.ranking[..k], uniform, ranked), "{}: k = {k}, u = {uniform}", case.name);
            }
        }
    });
}

#[test]
fn a_cut_by_rank_is_the_ranking_cut_short_and_tells_what_it_weighs() {
    for_all!(case => {
        let whole = Kept { row: case.row, frame: case.summary.frame, stays: Cut::at(f32::MIN), maxima: &case.maxima, sums: &case.sums };
        let count = case.ranking.len();
        for k in some_ks(count) {
            let found = rank_cut(case.engine, whole, case.summary.max, (k, count), &mut case.room);
            let at = format!("{}: k = {k}", case.name);
            let n = (0..case.row.len() as u32).filter(|&id| found.at.keeps(id, logit(case.row, id))).count();
            let last = case.ranking[k - 1];
            assert!(n == k && found.at.keeps(last, logit(case.row, last)), "{at}: {:?}", found.at);
            if let Some(weighed) = found.weighed {
                case.is_weighed(whole.with(found.at), weighed, &at);
            }
        }
    });
}

#[test]
fn a_cut_by_mass_keeps_the_fewest_and_tells_what_they_weigh() {
    for_all!(case => {
        let whole = Kept { row: case.row, frame: case.summary.frame, stays: Cut::at(f32::MIN), maxima: &case.maxima, sums: &case.sums };
        let mass = Mass { top: case.summary.max, total: case.summary.total };
        for share in [1e-9, 0.02, 0.5, 0.9, 0.97, 0.9999] {
            let found = mass_cut(case.engine, whole, mass, share * mass.total, &mut case.room);
            let at = format!("{}: share {share}", case.name);
            let n = (0..case.row.len() as u32).filter(|&id| found.at.keeps(id, logit(case.row, id))).count();
            assert!(case.is_due(&case.ranking, share, case.ranking[n - 1]), "{at}: {n}");
            if let Some(weighed) = found.weighed {
                case.is_weighed(whole.with(found.at), weighed, &at);
                let mut by_id = case.ranking[..n].to_vec();
                by_id.sort_unstable();
                for uniform in UNIFORMS {
                    let kept = Kept { stays: found.at, sums: case.room.parts(), ..whole };
                    let id = choose_whole(case.engine, kept, weighed.total, uniform);
                    assert!(case.is_due(&by_id, uniform, id), "{at}, u = {uniform}: {id}");
                }
            }
        }
    });
}

/// Rows whose logits are others where a search by mass looks at a sample of them.
#[test]
fn a_sample_that_misleads_costs_time_and_nothing_else() {
    let mut rng = mirostat_rows::Rng(5);
    for len in [4200, 9000, 40_000] {
        if len > longest() {
            continue;
        }
        for (sampled, rest) in [(-9.0, 0.0), (0.0, -9.0), (9.0, 0.0), (1.0, 0.5), (0.5, 1.0)] {
            for (values, spread) in [(1, 0.0), (2, 1.0), (70, 0.02), (1_000_000, 1e-6)] {
                let row: Vec<f32> = (0..len)
                    .map(|i| {
                        let in_sample = i / 256 * 7 % 16 == i % 256 / 16 || i * 512 % len < 512;
                        let value = (rng.uniform() * f64::from(values)).floor() * spread;
                        (value + if in_sample { sampled } else { rest }) as f32
                    })
                    .collect();
                for engine in Engine::available() {
                    let name = format!("{len}, {sampled} and {rest}, {values} times {spread}");
                    let case = &mut Case::new(&name, engine, &row[..], LOG2_E);
                    let whole = Kept {
                        row: case.row,
                        frame: case.summary.frame,
                        stays: Cut::at(f32::MIN),
                        maxima: &case.maxima,
                        sums: &case.sums,
                    };
                    let (top, total) = (case.summary.max, case.summary.total);
                    let mass = Mass { top, total };
                    for share in [0.0, 1e-4, 0.1, 0.5, 0.9, 0.9999, 1.0 - 1e-16] {
                        let id = mass_select(engine, whole, mass, share, &mut case.room);
                        assert!(
                            case.is_due(&case.ranking, share, id),
                            "{name}, u = {share}: {id}"
                        );
                        let found = mass_cut(engine, whole, mass, share * total, &mut case.room);
                        let n = (0..len as u32).filter(|&id| found.at.keeps(id, row[id as usize]));
                        let last = case.ranking[n.count() - 1];
                        assert!(
                            case.is_due(&case.ranking, share, last),
                            "{name}, {share}: {last}"
                        );
                        if let Some(weighed) = found.weighed {
                            case.is_weighed(whole.with(found.at), weighed, &name);
                        }
                        let k = 1 + (share * (len - 1) as f64) as usize;
                        let found = rank_cut(engine, whole, top, (k, len), &mut case.room);
                        let last = case.ranking[k - 1];
                        assert_eq!(
                            found.at,
                            Cut::with_ties(row[last as usize], last),
                            "{name}: {k}"
                        );
                    }
                }
            }
        }
    }
}

/// Ties end the row, and the latest place of all lies two below them: two guesses lead there, and nothing stands there.
#[test]
fn a_target_that_rounding_made_the_weight_of_all_is_passed_by_the_last() {
    let row: Vec<f32> = (0..9000).map(|i| -0.001 * i.min(8900) as f32).collect();
    for engine in Engine::available() {
        let case = &mut Case::new("a ramp that ends flat", engine, &row[..], LOG2_E);
        let edge = row[8999].next_down().next_down();
        let kept = Kept {
            row: case.row,
            frame: case.summary.frame,
            stays: Cut::at(edge),
            maxima: &case.maxima,
            sums: &case.sums,
        };
        let (top, total) = (case.summary.max, case.summary.total * (1.0 + 1e-8));
        let last = 1.0 - f64::EPSILON / 2.0;
        let id = mass_select(engine, kept, Mass { top, total }, last, &mut case.room);
        assert_eq!(id, 8999, "{}", case.name);
        let found = mass_cut(engine, kept, Mass { top, total }, total, &mut case.room);
        assert_eq!(found.at, Cut::with_ties(row[8999], 8999), "{}", case.name);
    }
}

#[test]
fn what_lies_near_is_found_by_mass_and_stays_in_a_window() {
    for_all!(case => {
        let frame = case.summary.frame;
        let (best, last) = (case.ranking[0], case.ranking[case.ranking.len() - 1]);
        let median = case.ranking[case.ranking.len() / 2];
        // Centres at the greatest logit, at the median, between the two, and far below all.
        let exponents = [best, median, last].map(|id| frame.exponent(logit(case.row, id)));
        for centre in [exponents[0], exponents[1], 0.5 * (exponents[0] + exponents[1]), exponents[2] - 50.0] {
            let distance = Distance { frame, centre, least: logit(case.row, last), top: case.summary.max };
            let mut near = case.ranking.clone();
            near.sort_by_key(|&id| distance.key(id, logit(case.row, id)));
            let whole = Kept { row: case.row, frame, stays: Cut::at(distance.least), maxima: &case.maxima, sums: &case.sums };
            for share in [0.001, 0.4, 0.95, 0.999] {
                let target = share * case.summary.total;
                let masses = (target, case.summary.total);
                let found = mass_near(case.engine, whole, distance, masses, Parts::Wanted, &mut case.room);
                let (id, key) = (found.at as u32, found.at);
                let at = format!("{}: centre {centre}, share {share}", case.name);
                assert!(case.is_due(&near, share, id), "{at}: {id}");
                assert_eq!(key, distance.key(id, logit(case.row, id)), "{at}");
                let n = near.iter().position(|&i| i == id).expect("a candidate") + 1;
                let window = distance.window(key);
                let mut by_id = near[..n].to_vec();
                by_id.sort_unstable();
                let kept: Vec<u32> = (0..case.row.len() as u32).filter(|&i| window.keeps(i, logit(case.row, i))).collect();
                assert!(kept == by_id, "{at}");
                let kept = whole.with(window);
                if let Some(weighed) = found.weighed {
                    case.is_weighed(kept, weighed, &at);
                    let kept = Kept { sums: case.room.parts(), ..kept };
                    let id = choose_whole(case.engine, kept, weighed.total, 0.7);
                    assert!(weighed.total == 0.0 || case.is_due(&by_id, 0.7, id), "{at}");
                }
                match gather(case.engine, case.row, &case.maxima, window, &mut case.room) {
                    Found::Few(found) => {
                        let listed: Vec<u32> = (0..found).map(|i| case.room.listed(i).0).collect();
                        assert!(listed == by_id, "{at}");
                    }
                    Found::Many => assert!(n > FEW, "{at}: {n}"),
                }
                let chosen = choose_in_blocks(case.engine, kept, 0.7, &mut case.room);
                assert_eq!(chosen.kept, n, "{at}");
                assert!(chosen.total == 0.0 || case.is_due(&by_id, 0.7, chosen.id), "{at}");
                let mass = Mass { top: case.summary.max, total: chosen.total };
                let ranked = mass_select(case.engine, kept, mass, 0.7, &mut case.room);
                let mut by_rank = case.ranking.clone();
                by_rank.retain(|&i| window.keeps(i, logit(case.row, i)));
                assert!(chosen.total == 0.0 || case.is_due(&by_rank, 0.7, ranked), "{at}: {ranked}");
            }
        }
    });
}

#[test]
fn block_sums_do_not_depend_on_the_reference() {
    // Two rows that differ only in a late outlier of a weight that cannot matter choose another N and agree elsewhere.
    for engine in Engine::available() {
        let low = vec![0.0_f32; 2048];
        let mut high = low.clone();
        high[2047] = 40.0;
        let (mut a, mut b) = (vec![Maxima::NONE; 8], vec![Maxima::NONE; 8]);
        let (mut s, mut t) = (vec![0.0; 8], vec![0.0; 8]);
        let first = stats(engine, &low, LOG2_E, &mut a, &mut s).expect("sound");
        let second = stats(engine, &high, LOG2_E, &mut b, &mut t).expect("sound");
        let shift = libm::exp2(f64::from(second.frame.reference - first.frame.reference));
        assert_eq!(f64::from(s[0]), f64::from(t[0]) * shift, "{engine:?}");
    }
}

#[test]
fn a_frame_and_its_inverse_agree() {
    for frame in [Frame::around(17.3, LOG2_E), Frame::below(1e9, LOG2_E / 0.1)] {
        for exponent in [-100.0, -1.5, 0.0] {
            let back = (frame.logit(exponent) - f64::from(frame.shift)) * frame.scale
                - f64::from(frame.reference);
            assert!((back - exponent).abs() < 1e-6, "{frame:?}");
        }
    }
}
