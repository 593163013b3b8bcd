//! Where it ran: what a figure without which cannot be repeated.

use std::fs::read_to_string;

pub(crate) struct Machine {
    /// Processor, cores, operating system.
    pub(crate) name: String,
    /// The cores that this process may run on, where the system says so.
    pub(crate) cores_allowed: Option<String>,
    /// Processes that wanted a core in the last minute.
    pub(crate) load: Option<String>,
}

impl Machine {
    pub(crate) fn detect() -> Self {
        let cpu = read_to_string("/proc/cpuinfo").unwrap_or_default();
        let status = read_to_string("/proc/self/status").unwrap_or_default();
        let model = field(&cpu, "model name").unwrap_or(std::env::consts::ARCH);
        let family = match (field(&cpu, "cpu family"), field(&cpu, "model\t")) {
            (Some(family), Some(number)) => format!(" (family {family}, model {number})"),
            _ => String::new(),
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let cores = cpu
            .lines()
            .filter(|l| l.starts_with("processor"))
            .count()
            .max(cores);
        let release = read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        Self {
            name: format!(
                "{model}{family}, {cores} cores, {} {}",
                std::env::consts::OS,
                release.trim()
            ),
            cores_allowed: field(&status, "Cpus_allowed_list").map(str::to_owned),
            load: read_to_string("/proc/loadavg")
                .ok()
                .and_then(|load| load.split(' ').next().map(str::to_owned)),
        }
    }

    /// Whether the process stays on one core.
    pub(crate) fn pinned(&self) -> bool {
        self.cores_allowed
            .as_ref()
            .is_some_and(|list| list.parse::<u32>().is_ok())
    }
}

/// The value of the first line that starts with `name`, after its colon.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim())
}
