//! What llama.cpp says: errors are kept, to name the cause of a fault; everything is shown where it was asked for.

use std::io;
use std::sync::{Mutex, Once, PoisonError};

use llama_cpp_2::{LogOptions, send_logs_to_tracing};
use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// The errors since the last [`cause`]. llama.cpp has one log for the whole process.
static ERRORS: Mutex<String> = Mutex::new(String::new());

/// Takes over llama.cpp's log; with `shown` it goes to standard error. The first call of a process counts.
///
/// A host that has set a subscriber of `tracing` gets the messages there, and faults name no cause.
pub(crate) fn install(shown: bool) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(if shown { Level::INFO } else { Level::ERROR })
            .with_ansi(false)
            .without_time()
            .with_level(false)
            .with_target(false)
            .with_writer(Writers { shown })
            .finish();
        let _the_host_has_one = tracing::subscriber::set_global_default(subscriber);
        send_logs_to_tracing(LogOptions::default());
    });
}

/// The first error that llama.cpp has told since the last call, which is where its chains of errors begin.
pub(crate) fn cause() -> String {
    let mut errors = ERRORS.lock().unwrap_or_else(PoisonError::into_inner);
    let first = errors
        .lines()
        .map(|line| line.split(" module=").next().unwrap_or_default().trim())
        .find(|line| !line.is_empty())
        .unwrap_or("llama.cpp gave no reason")
        .to_owned();
    errors.clear();
    first
}

struct Writers {
    shown: bool,
}

struct Writer {
    shown: bool,
    kept: bool,
}

impl io::Write for Writer {
    fn write(&mut self, message: &[u8]) -> io::Result<usize> {
        if self.shown {
            io::stderr().write_all(message)?;
        }
        if self.kept {
            ERRORS
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push_str(&String::from_utf8_lossy(message));
        }
        Ok(message.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

impl<'a> MakeWriter<'a> for Writers {
    type Writer = Writer;

    fn make_writer(&'a self) -> Writer {
        Writer {
            shown: self.shown,
            kept: false,
        }
    }

    fn make_writer_for(&'a self, of: &Metadata<'_>) -> Writer {
        Writer {
            kept: *of.level() == Level::ERROR,
            ..self.make_writer()
        }
    }
}
