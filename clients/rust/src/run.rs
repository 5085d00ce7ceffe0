//! The main function of a bot.

use std::env;
use std::process::ExitCode;

use tokio::signal::unix::{SignalKind, signal};

use crate::{Bot, Client, Error, Options, note};

/// Plays until Ctrl-C, with the options of the command line; `--help` shows them.
///
/// The first Ctrl-C (or SIGTERM) says goodbye: no new matches, those that run are played to their end. The second one ends the
/// process at once.
pub fn main(bot: impl Bot) -> ExitCode {
    main_with(bot, env::args().skip(1).collect(), "")
}

/// The same with these arguments, and with help for options that were taken out of them before.
pub fn main_with(bot: impl Bot, mut arguments: Vec<String>, more_help: &str) -> ExitCode {
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        print!("A bot for the Hansa board games.\n\n{more_help}{}", Options::HELP);
        return ExitCode::SUCCESS;
    }
    let name = bot.profile().name;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let result = Options::from_arguments(&mut arguments, |name| env::var(name).ok()).and_then(|options| {
        if let Some(other) = arguments.first() {
            return Err(Error::Option(format!("there is no option {other}; --help shows all")));
        }
        let runtime = runtime.map_err(|error| Error::Option(format!("this system does not let a bot run: {error}")))?;
        runtime.block_on(run(bot, options))
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{name}: {error}");
            ExitCode::from(if matches!(error, Error::Option(_)) { 2 } else { 1 })
        }
    }
}

/// Plays until Ctrl-C, in a program that has a runtime.
pub async fn run(bot: impl Bot, options: Options) -> Result<(), Error> {
    let client = Client::new(bot, options)?;
    let handle = client.handle();
    let listen = |kind| signal(kind).map_err(|error| Error::Option(format!("signals cannot be heard: {error}")));
    let (mut interrupt, mut terminate) = (listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?);
    let playing = client.run();
    tokio::pin!(playing);
    let mut came = 0;
    loop {
        tokio::select! {
            result = &mut playing => return result,
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        came += 1;
        if came > 1 {
            note("ending at once");
            handle.stop();
        } else {
            handle.leave();
        }
    }
}
