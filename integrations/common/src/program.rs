//! The programme of an integration, all but its runtime.

use crate::files::{Unfinished, check_places};
use crate::report::{Ground, Report};
use crate::{Chooser, Fault, Kind, Options, Request, TextModel, generate, open_model, plot};
use serde::Serialize;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// The names that a report is signed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Integration {
    /// The programme.
    pub program: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The runtime.
    pub runtime: &'static str,
    /// The runtime's version.
    pub runtime_version: &'static str,
}

/// Writes a text to standard output as it comes, and the report to standard error; files are written at the end, all or none.
///
/// `load` gets the model's path and the open file, at its beginning.
///
/// A fault is printed with what to do about it, and makes the exit code 1.
pub fn run<M: TextModel>(
    integration: Integration,
    options: &Options,
    load: impl FnOnce(&Path, File) -> Result<M, Fault>,
) -> ExitCode {
    let written = write(integration, options, load, &mut io::stdout().lock());
    exit_code(integration.program, written)
}

/// The exit code of a programme; a fault is printed with what to do about it. A reader that went away is no fault.
#[must_use]
pub fn exit_code(program: &str, result: Result<(), Fault>) -> ExitCode {
    let Err(fault) = result else {
        return ExitCode::SUCCESS;
    };
    if fault.reader_went_away() {
        return ExitCode::SUCCESS;
    }
    // If standard error is gone too, the code alone tells it.
    let mut err = io::stderr().lock();
    let _ = writeln!(err, "{program}: {fault}");
    if let Some(advice) = fault.advice() {
        let _ = writeln!(err, "{program}: {advice}");
    }
    ExitCode::FAILURE
}

fn write<M: TextModel>(
    integration: Integration,
    options: &Options,
    load: impl FnOnce(&Path, File) -> Result<M, Fault>,
    out: &mut impl Write,
) -> Result<(), Fault> {
    // What can be refused is refused before the model is loaded.
    let mut chooser = Chooser::new(&options.sampler, 0)?;
    check_places(options.report.iter().chain(&options.plot))?;
    let before = Instant::now();
    let (path, file) = open_model(options.model.as_deref())?;
    let mut model = load(&path, file)?;
    let load = before.elapsed();
    let (k, vocabulary) = (options.sampler.top_k, model.vocabulary());
    if options.sampler.kind == Kind::TopK && k > vocabulary {
        return Err(Fault::TopK { k, vocabulary });
    }

    let prompt = model.tokens(&options.prompt_text())?;
    let request = Request {
        prompt: &prompt,
        limit: options.max_tokens,
        stop_at_end: !options.ignore_end,
    };
    let mut text = Vec::new();
    let mut begun = false;
    let generated = generate(&mut model, &mut chooser, &request, |_, piece| {
        if !begun && !options.chat && !options.quiet {
            out.write_all(options.prompt.as_bytes())?;
        }
        begun = true;
        text.extend_from_slice(piece);
        out.write_all(piece)?;
        Ok(out.flush()?)
    })?;
    out.write_all(b"\n")?;

    let ground = Ground {
        integration,
        options,
        model: path
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
        vocabulary,
        prompt_tokens: prompt,
        load,
    };
    let report = Report::new(ground, generated, &text);
    write_files(&report, options)?;
    if !options.quiet {
        writeln!(io::stderr(), "\n{report}")?;
    }
    Ok(())
}

/// Writes all beside their places before the first is moved there.
fn write_files(report: &Report, options: &Options) -> Result<(), Fault> {
    let mut files = Vec::new();
    if let Some(path) = &options.report {
        let json = serde_json::to_string_pretty(report).map_err(io::Error::from)?;
        files.push(Unfinished::write(path, &(json + "\n"))?);
    }
    if let Some(path) = &options.plot {
        files.push(Unfinished::write(path, &plot::draw(report)?)?);
    }
    files.into_iter().try_for_each(Unfinished::finish)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::{Fake, Rule, next_letter};
    use crate::options::tests::parse;
    use std::fs;
    use std::path::PathBuf;

    const SIGNED: Integration = Integration {
        program: "fake",
        version: "1",
        runtime: "none",
        runtime_version: "2",
    };

    /// A folder with a file that begins as a model does.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let name = format!("mirostat-textgen-{}-{name}", std::process::id());
            let folder = Self(std::env::temp_dir().join(name));
            fs::create_dir_all(&folder.0).unwrap();
            fs::write(folder.0.join("model.gguf"), "GGUF").unwrap();
            folder
        }

        fn place(&self, name: &str) -> String {
            self.0.join(name).to_string_lossy().into_owned()
        }

        /// What is in it, beside the model.
        fn files(&self) -> Vec<String> {
            let names = fs::read_dir(&self.0).unwrap();
            let mut names: Vec<String> = names
                .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
                .filter(|name| name != "model.gguf")
                .collect();
            names.sort_unstable();
            names
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn written(
        folder: &Folder,
        rule: Rule,
        more: &[&str],
        out: &mut impl Write,
    ) -> Result<(), Fault> {
        let [model, report, plot] =
            ["model.gguf", "told.json", "told.svg"].map(|name| folder.place(name));
        let mut arguments = vec!["--sampler", "greedy", "--prompt", "ab", "--max-tokens", "6"];
        arguments.extend(["--model", &model, "--report", &report, "--plot", &plot]);
        arguments.extend(more);
        write(SIGNED, &parse(&arguments), |_, _| Ok(Fake::new(rule)), out)
    }

    #[test]
    fn the_text_goes_out_and_the_files_tell_it() {
        let folder = Folder::new("told");
        let mut out = Vec::new();
        written(&folder, next_letter, &[], &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "abcd\n");
        assert_eq!(folder.files(), ["told.json", "told.svg"]);
        let told = fs::read_to_string(folder.place("told.json")).unwrap();
        let told: serde_json::Value = serde_json::from_str(&told).unwrap();
        assert_eq!(
            (&told["text"], &told["reason"]),
            (&"cd".into(), &"EndToken".into())
        );
        assert_eq!(told["tokens"], serde_json::json!([2, 3, 4]));
        assert_eq!(told["prompt_tokens"], serde_json::json!([0, 1]));
        assert_eq!(told["integration"]["runtime_version"], "2");
        assert_eq!(told["sampler"]["kind"], "greedy");
    }

    #[test]
    fn quiet_and_chat_leave_the_prompt_out() {
        let folder = Folder::new("quiet");
        let mut out = Vec::new();
        written(&folder, next_letter, &["--quiet"], &mut out).unwrap();
        assert_eq!(out, b"cd\n");
    }

    #[test]
    fn a_fault_in_the_middle_leaves_no_file() {
        let folder = Folder::new("fault");
        let rule: Rule = |context| match context.len() {
            3 => vec![f32::NAN; 5],
            _ => next_letter(context),
        };
        let fault = written(&folder, rule, &[], &mut Vec::new()).unwrap_err();
        assert!(matches!(fault, Fault::Row { step: 1, .. }));
        assert!(folder.files().is_empty());
    }

    #[test]
    fn parameters_and_places_are_refused_before_the_model_is_loaded() {
        let folder = Folder::new("early");
        let model = folder.place("model.gguf");
        for arguments in [["--tau", "-1"], ["--report", "/"]] {
            let mut arguments = arguments.to_vec();
            arguments.extend(["--model", &model]);
            let load = |_: &Path, _: File| -> Result<Fake, Fault> { panic!("it was loaded") };
            assert!(write(SIGNED, &parse(&arguments), load, &mut Vec::new()).is_err());
        }
    }

    #[test]
    fn one_place_for_both_files_and_more_tokens_than_there_are_are_refused_without_a_text() {
        let folder = Folder::new("refused");
        let [model, both] = ["model.gguf", "told"].map(|name| folder.place(name));
        let refused = |more: [&str; 4]| {
            let arguments = ["--model", &model, "--report", &both, "--prompt", "ab"];
            let options = parse(&[&arguments[..], &more].concat());
            let mut out = Vec::new();
            let fault = write(
                SIGNED,
                &options,
                |_, _| Ok(Fake::new(next_letter)),
                &mut out,
            );
            assert!(out.is_empty() && folder.files().is_empty());
            fault.unwrap_err()
        };
        let fault = refused(["--sampler", "greedy", "--plot", &both]);
        assert!(matches!(fault, Fault::Unwritable { .. }));
        let fault = refused(["--sampler", "top-k", "--top-k", "6"]);
        assert!(matches!(
            fault,
            Fault::TopK {
                k: 6,
                vocabulary: 5
            }
        ));
    }

    /// A pipe whose reader has gone.
    struct Closed;

    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_that_goes_away_is_no_mistake() {
        let folder = Folder::new("pipe");
        let fault = written(&folder, next_letter, &[], &mut Closed).unwrap_err();
        assert!(fault.reader_went_away());
        assert!(folder.files().is_empty());
    }
}
