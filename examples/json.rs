//! The ancestor's JSON: the state of a new session, a step of it, then a batch of two; or, with `--stdio`, a server of lines.
//!
//! `cargo run --release --features json --example json` prints the answers;
//! `… --example json -- --stdio` answers each line of standard input with a line, until the input ends.
#![forbid(unsafe_code)]

use clap::Parser;
use mirostat::Version;
use mirostat::json::{
    BatchRequest, InitRequest, Mode, SessionRequest, batch_request, init_request, serve,
    session_request,
};
use std::error::Error;
use std::io;

/// Mirostat in JSON.
#[derive(Parser)]
struct Options {
    /// Answer each line of standard input with a line.
    #[arg(long)]
    stdio: bool,
    /// Write errors as the ancestor's bare texts.
    #[arg(long, requires = "stdio")]
    compatible: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let Options { stdio, compatible } = Options::parse();
    if stdio {
        let mode = if compatible {
            Mode::Compatible
        } else {
            Mode::Coded
        };
        return Ok(serve(io::stdin().lock(), io::stdout().lock(), mode)?);
    }

    let (tau, eta, version) = (2.0, 0.1, Version::V2);
    let begun = init_request(&InitRequest::new(tau, eta, version))?;
    println!("{}", serde_json::to_string(&begun)?);

    let (mu, steps) = (begun.state_mu, begun.state_steps);
    let first = SessionRequest::new(vec![3.0, 2.0, 1.0], tau, eta, 0.2, version, mu, steps);
    let stepped = session_request(&first)?;
    println!("{}", serde_json::to_string(&stepped)?);

    let (mu, steps) = (stepped.state_mu, stepped.state_steps);
    let second = SessionRequest::new(vec![2.0, 1.0, 0.0], tau, eta, 0.8, version, mu, steps);
    let both = batch_request(&BatchRequest::new(vec![first, second]))?;
    println!("{}", serde_json::to_string(&both)?);
    Ok(())
}
