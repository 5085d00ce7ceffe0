use std::fmt;

/// What can go wrong for a bot. The text says what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// An option, or options that do not go together.
    Option(String),
    /// The server does not let this bot in, and trying again would not help.
    Refused(String),
    /// Another process plays under the same name or token.
    Replaced(String),
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Option(text) | Self::Refused(text) | Self::Replaced(text)) = self;
        formatter.write_str(text)
    }
}

impl std::error::Error for Error {}
