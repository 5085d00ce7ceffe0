//! The example bots: `--bot sensible` or `--bot random`, with the options every bot has.

mod hansa_taste;
mod random;
mod sensible;
mod teutonica_taste;

use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments: Vec<String> = env::args().skip(1).collect();
    let mut name = "sensible".to_owned();
    if let Some(at) = arguments.iter().position(|argument| argument == "--bot").filter(|at| at + 1 < arguments.len()) {
        arguments.remove(at);
        name = arguments.remove(at);
    }
    let help = "  --bot NAME          sensible (the default) or random\n";
    match name.as_str() {
        "sensible" => hansa::main_with(sensible::SensibleBot::default(), arguments, help),
        "random" => hansa::main_with(random::RandomBot::default(), arguments, help),
        other => {
            eprintln!("--bot must be sensible or random, not '{other}'");
            ExitCode::from(2)
        }
    }
}
