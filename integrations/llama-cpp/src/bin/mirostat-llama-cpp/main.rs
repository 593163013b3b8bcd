//! Writes text with a GGUF model in llama.cpp and mirostat's samplers.

mod compare;
mod several;

use std::cell::OnceCell;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::thread::available_parallelism;

use clap::{CommandFactory as _, Parser, error::ErrorKind};
use mirostat::Version;
use mirostat_llama_cpp::{Llama, Weights};
use mirostat_textgen::{Integration, Kind, Options, exit_code, run};

const INTEGRATION: Integration = Integration {
    program: env!("CARGO_PKG_NAME"),
    version: env!("CARGO_PKG_VERSION"),
    runtime: "llama.cpp of llama-cpp-2",
    runtime_version: "0.1.160",
};

/// Writes text with a GGUF model in llama.cpp; mirostat chooses the tokens from llama.cpp's own memory.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    #[command(flatten)]
    options: Options,
    /// v1, v2: write N texts at once, in one batch of llama.cpp and one of steps, with a session of the seed each
    #[arg(long, value_name = "N", conflicts_with_all = ["compare", "plot"])]
    sequences: Option<NonZeroUsize>,
    /// v1, v2: write a text by ours and one by llama.cpp's own Mirostat, and take the time of both on every row
    #[arg(long, conflicts_with = "plot")]
    compare: bool,
    /// Threads of llama.cpp; they wait for each other by spinning, so more than there are idle cores is far slower than one
    #[arg(long, value_name = "N", default_value = "1", value_parser = threads)]
    threads: NonZeroUsize,
    /// Show llama.cpp's log
    #[arg(long)]
    verbose: bool,
}

impl Arguments {
    /// The version of Mirostat that is asked for; any other rule is a mistake of the command line.
    fn version(&self, what: &str) -> Version {
        match self.options.sampler.kind {
            Kind::V1 => Version::V1,
            Kind::V2 => Version::V2,
            _ => self.refuse(&format!("{what} is for --sampler v1 or v2")),
        }
    }

    fn refuse(&self, why: &str) -> ! {
        Self::command()
            .error(ErrorKind::ArgumentConflict, why)
            .exit()
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Some(count) = arguments.sequences {
        return exit_code(INTEGRATION.program, several::run(&arguments, count.get()));
    }
    if arguments.compare {
        return exit_code(INTEGRATION.program, compare::run(&arguments));
    }
    let options = &arguments.options;
    let weights = OnceCell::new();
    run(INTEGRATION, options, |path, _| {
        let loaded = Weights::load(path, arguments.verbose)?;
        let weights = weights.get_or_init(|| loaded);
        let prompt = weights.tokens(&options.prompt_text());
        Llama::new(
            weights,
            prompt.len().saturating_add(options.max_tokens),
            arguments.threads.get(),
        )
    })
}

/// No more than the machine has: llama.cpp's threads spin, so that with many more a token would not come for minutes.
fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let threads: NonZeroUsize = text.parse().map_err(|cause| format!("{cause}"))?;
    match available_parallelism() {
        Ok(most) if threads > most => Err(format!("this machine has {most}")),
        _ => Ok(threads),
    }
}

#[cfg(test)]
mod tests {
    use super::INTEGRATION;

    #[test]
    fn the_version_of_the_runtime_is_that_of_the_lock() {
        let lock = include_str!("../../../Cargo.lock");
        let version = INTEGRATION.runtime_version;
        assert!(lock.contains(&format!("name = \"llama-cpp-2\"\nversion = \"{version}\"")));
    }
}
