//! The table, the goals, and `target/roofline.json`.

use crate::MAIN;
use crate::case::{Case, ElementType, Filling, PoolSize};
use crate::kernels::{ENTROPY, READ, STATS, V1, V2};
use crate::machine::Machine;
use crate::measure::Time;
use mirostat_kernels::{Engine, Level, Numerics};
use mirostat_rows::Shape;
use serde_json::json;

pub(crate) struct Report {
    machine: Machine,
    cells: Vec<(Case, Time)>,
}

/// Ratios to the read, for AVX-512, f32, V = 128256.
const GOALS: [(Filling, PoolSize, &str, f64); 14] = [
    (LLM_LIKE, PoolSize::L3, STATS, 2.7),
    (LLM_LIKE, PoolSize::L3, V2, 3.1),
    (LLM_LIKE, PoolSize::L3, V1, 4.3),
    (LLM_LIKE, PoolSize::Dram, STATS, 1.25),
    (LLM_LIKE, PoolSize::Dram, V2, 1.55),
    (LLM_LIKE, PoolSize::Dram, V1, 1.9),
    (LLM_LIKE, PoolSize::L3, "top_k_40", 1.9),
    (LLM_LIKE, PoolSize::L3, "min_p_0.05", 1.4),
    (LLM_LIKE, PoolSize::L3, "top_p_0.9", 6.5),
    (LLM_LIKE, PoolSize::L3, "typical_0.95", 9.0),
    (LLM_LIKE, PoolSize::L3, "temperature_0.8", 2.95),
    (NEARLY_FLAT, PoolSize::L3, "min_p_0.05", 4.5),
    (NEARLY_FLAT, PoolSize::L3, "top_p_0.9", 16.0),
    (NEARLY_FLAT, PoolSize::L3, "typical_0.95", 16.0),
];

/// What the entropy may cost on top of the statistics that it comes with.
const ENTROPY_GOAL: f64 = 1.45;

const NEARLY_FLAT: Filling = Filling::Shape(Shape::NearlyFlat);
const LLM_LIKE: Filling = Filling::Shape(Shape::LlmLike);

impl Report {
    pub(crate) fn new(machine: Machine) -> Self {
        println!(
            "{}; best level: {}",
            machine.name,
            Engine::detect().level().name()
        );
        match &machine.cores_allowed {
            Some(core) if machine.pinned() => println!("pinned to core {core}"),
            _ => println!("not pinned: try `taskset -c 1 cargo bench --bench roofline`"),
        }
        if let Some(load) = &machine.load {
            println!("load {load}: above 1 something else ran, and only ratios mean anything");
        }
        Self {
            machine,
            cells: Vec::new(),
        }
    }

    /// Prints the times of a case and keeps them.
    pub(crate) fn add(&mut self, case: &Case, times: &[Time], best: Engine) {
        let Case {
            vocabulary,
            filling,
            element,
            pool,
        } = case;
        println!(
            "\nV = {vocabulary}, {}, {}, {} pool",
            filling.name(),
            element.name(),
            pool.name()
        );
        println!("{:24}{:>12}{:>12}", "", "median µs", "to read");
        self.add_lines(case, times, best);
    }

    /// The same without the heading and without the read, which stands there already.
    pub(crate) fn add_without_read(&mut self, case: &Case, times: &[Time], best: Engine) {
        self.add_lines(case, &times[1..], best);
    }

    fn add_lines(&mut self, case: &Case, times: &[Time], best: Engine) {
        for time in times {
            let name = if time.engine == best {
                time.kernel.to_owned()
            } else {
                format!("{} {}", time.kernel, engine_name(time.engine))
            };
            println!("{name:24}{:12.2}{:11.2}x", time.median_us, time.ratio);
            self.cells.push((*case, *time));
        }
    }

    fn find(
        &self,
        kernel: &str,
        pool: PoolSize,
        of: (Filling, ElementType),
        engine: Engine,
    ) -> Option<&Time> {
        let (filling, element) = of;
        let case = Case {
            vocabulary: filling.vocabulary(MAIN),
            filling,
            element,
            pool,
        };
        self.cells
            .iter()
            .find(|(c, time)| *c == case && time.kernel == kernel && time.engine == engine)
            .map(|(_, time)| time)
    }

    /// Prints what was reached and writes the file. A short run, whose cells are few and read at other speeds, compares none of them.
    pub(crate) fn finish(&self, full: bool) {
        self.goals();
        if full {
            self.relations();
            self.linearity();
        }
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/target/roofline.json");
        match self.write(path) {
            Ok(()) => println!("\nwrote {path}"),
            Err(error) => eprintln!("\ncould not write {path}: {error}"),
        }
    }

    fn goals(&self) {
        println!("\nGoals (V = {MAIN}, f32, ratio to the read; stated for AVX-512 on Zen 5)");
        let f32s = |filling| (filling, ElementType::F32);
        for (filling, pool, kernel, goal) in GOALS {
            if let Some(time) = self.find(kernel, pool, f32s(filling), Engine::detect()) {
                let name = format!("{kernel} {} {}", filling.name(), pool.name());
                verdict(&name, time.ratio, goal);
            }
        }
        for pool in PoolSize::TIMED {
            let of = |kernel| self.find(kernel, pool, f32s(LLM_LIKE), Engine::detect());
            if let (Some(both), Some(stats)) = (of(ENTROPY), of(STATS)) {
                let name = format!("{ENTROPY} / {STATS} {}", pool.name());
                verdict(&name, both.median_us / stats.median_us, ENTROPY_GOAL);
            }
        }
    }

    /// Goals that compare the times of cells, which a noisy machine cannot do: their reads differ then.
    fn relations(&self) {
        let best = Engine::detect();
        let f32s = ElementType::F32;
        for pool in PoolSize::TIMED {
            let micros = |kernel, filling, engine| {
                self.find(kernel, pool, (filling, f32s), engine)
                    .map(|t| t.median_us)
            };
            let llm_like = micros(V2, LLM_LIKE, best);
            for filling in [Shape::Iid, Shape::Flat, Shape::NearlyFlat].map(Filling::Shape) {
                if let (Some(a), Some(b)) = (micros(V2, filling, best), llm_like) {
                    let name = format!("V2 {} / llm_like {}", filling.name(), pool.name());
                    verdict(&name, a / b, 1.4);
                }
            }
            let fused = |level| Engine::new(level, Numerics::Fused);
            if let (Some(v4), Some(v3)) = (fused(Level::Avx512), fused(Level::Avx2))
                && let (Some(a), Some(b)) =
                    (micros(STATS, LLM_LIKE, v3), micros(STATS, LLM_LIKE, v4))
            {
                verdict(&format!("stats avx2 / avx512 {}", pool.name()), a / b, 2.4);
            }
            let of_element = |element| {
                self.find(V2, pool, (LLM_LIKE, element), best)
                    .map(|t| t.median_us)
            };
            if pool == PoolSize::Dram
                && let (Some(a), Some(b)) = (of_element(ElementType::Bf16), of_element(f32s))
            {
                verdict("V2 bf16 / f32 dram", a / b, 1.0);
            }
        }
    }

    /// ns per logit by vocabulary: a constant, where time is linear.
    fn linearity(&self) {
        let kernels = [READ, STATS, V1, V2];
        let of = |case: &Case| {
            case.pool == PoolSize::Dram
                && case.filling == LLM_LIKE
                && case.element == ElementType::F32
        };
        let mut lines: Vec<(usize, Vec<f64>)> = Vec::new();
        for (case, time) in self.cells.iter().filter(|(case, _)| of(case)) {
            if time.engine == Engine::detect() && kernels.contains(&time.kernel) {
                let each = time.median_us * 1e3 / case.vocabulary as f64;
                match lines.iter_mut().find(|(v, _)| *v == case.vocabulary) {
                    Some((_, line)) => line.push(each),
                    None => lines.push((case.vocabulary, vec![each])),
                }
            }
        }
        if lines.len() > 1 {
            println!(
                "\nns per logit, llm_like, f32, dram pool\n{:>9}{}",
                "V",
                kernels.map(|k| format!("{k:>13}")).concat()
            );
            for (vocabulary, line) in lines {
                let line: String = line.iter().map(|ns| format!("{ns:13.3}")).collect();
                println!("{vocabulary:>9}{line}");
            }
        }
    }

    fn write(&self, path: &str) -> std::io::Result<()> {
        let rows: Vec<_> = self
            .cells
            .iter()
            .map(|(case, time)| {
                json!({
                    "kernel": time.kernel,
                    "vocab": case.vocabulary,
                    "rows": case.filling.name(),
                    "pool": case.pool.name(),
                    "element": case.element.name(),
                    "level": time.engine.level().name(),
                    "numerics": numerics_name(time.engine),
                    "median_us": rounded(time.median_us),
                    "ratio_to_read": rounded(time.ratio),
                })
            })
            .collect();
        let report = json!({
            "machine": self.machine.name,
            "level": Engine::detect().level().name(),
            "pinned": self.machine.pinned(),
            "load": self.machine.load,
            "rows": rows,
        });
        std::fs::create_dir_all(concat!(env!("CARGO_MANIFEST_DIR"), "/target"))?;
        std::fs::write(path, format!("{report:#}\n"))
    }
}

fn verdict(name: &str, measured: f64, goal: f64) {
    let word = if measured <= goal { "met" } else { "missed" };
    println!("{name:32}{measured:8.2}  <= {goal:<5} {word}");
}

fn numerics_name(engine: Engine) -> &'static str {
    match engine.numerics() {
        Numerics::Fused => "fused",
        Numerics::Portable => "portable",
    }
}

fn engine_name(engine: Engine) -> String {
    match engine.numerics() {
        Numerics::Fused => engine.level().name().to_owned(),
        Numerics::Portable if engine.level() == Level::Base => engine.level().name().to_owned(),
        Numerics::Portable => "portable".to_owned(),
    }
}

/// To four decimals: more than the clock knows.
fn rounded(x: f64) -> f64 {
    (x * 1e4).round() / 1e4
}
