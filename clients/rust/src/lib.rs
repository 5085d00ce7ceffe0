//! The kit for bots of the Hansa board games: a bot is one type with two methods.
//!
//! ```ignore
//! use hansa::{Bot, Choice, Decision, Failure, Profile};
//!
//! struct MyBot;
//!
//! impl Bot for MyBot {
//!     fn profile(&self) -> Profile {
//!         Profile::named("my-bot")
//!     }
//!
//!     fn choose(&mut self, decision: &Decision) -> Result<Choice, Failure> {
//!         Ok((&decision.legal[0]).into())
//!     }
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     hansa::main(MyBot)
//! }
//! ```

mod bot;
mod client;
mod dice;
mod error;
mod options;
mod run;
mod table;

pub use bot::{Action, Bot, Choice, Clock, Decision, Failure, Match, Profile};
pub use client::{Client, Handle};
pub use dice::Dice;
pub use error::Error;
pub use options::Options;
pub use run::{main, main_with, run};

/// The messages of the contract, generated from `proto/hansa/v1`.
#[allow(missing_docs, clippy::all, clippy::pedantic, rustdoc::all)]
pub mod v1 {
    tonic::include_proto!("hansa.v1");
}

/// One line to the error output, with the time of day in UTC.
pub(crate) fn note(line: &str) {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_secs();
    let (hours, minutes, seconds) = (now / 3600 % 24, now / 60 % 60, now % 60);
    eprintln!("{hours:02}:{minutes:02}:{seconds:02} {line}");
}
