use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fmt, fs};

use crate::Error;

const DEFAULT_SERVER: &str = "127.0.0.1:7717";

/// How to reach the server: the command line before the environment before the defaults.
#[derive(Clone)]
pub struct Options {
    /// `host:port`.
    pub server: String,
    /// The bot's token; may be empty.
    pub token: String,
    /// Instead of the bot's own name.
    pub name: Option<String>,
    /// Instead of the bot's own number of matches at once.
    pub max_matches: Option<u16>,
    /// Use TLS with the certificates this machine trusts.
    pub tls: bool,
    /// PEM file of the authority that signed the server's certificate; turns TLS on.
    pub tls_ca: Option<PathBuf>,
    /// PEM file of the bot's own certificate, for mutual TLS.
    pub tls_certificate: Option<PathBuf>,
    /// PEM file of its key.
    pub tls_key: Option<PathBuf>,
    /// Before the first new attempt to connect, doubled with each further one.
    pub first_delay: Duration,
    /// Between attempts, at most.
    pub longest_delay: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            server: DEFAULT_SERVER.to_owned(),
            token: String::new(),
            name: None,
            max_matches: None,
            tls: false,
            tls_ca: None,
            tls_certificate: None,
            tls_key: None,
            first_delay: Duration::from_millis(200),
            longest_delay: Duration::from_secs(5),
        }
    }
}

// By hand, so that no log ever shows a token.
impl fmt::Debug for Options {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Options")
            .field("server", &self.server)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Options {
    /// The lines of `--help` about these options.
    pub const HELP: &str = "  --server HOST:PORT  where to play; HANSA_SERVER, or 127.0.0.1:7717
  --token-file FILE   a file that holds the bot's token; or set HANSA_TOKEN
  --name NAME         play under this name
  --max-matches N     matches at once
  --tls               encrypt, with the usual certificates
  --tls-ca FILE       encrypt; the server's certificate is signed by this one
  --tls-cert FILE     the bot's own certificate, for mutual TLS
  --tls-key FILE      its key
";

    /// Takes the options of every bot out of the arguments, leaves the others in them, and fills up from the environment.
    pub fn from_arguments(
        arguments: &mut Vec<String>,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, Error> {
        let mut options = Self { token: environment("HANSA_TOKEN").unwrap_or_default(), ..Self::default() };
        if let Some(server) = environment("HANSA_SERVER").filter(|server| !server.is_empty()) {
            options.server = server;
        }
        let mut others = Vec::new();
        let mut rest = std::mem::take(arguments).into_iter();
        while let Some(argument) = rest.next() {
            let (option, joined) = match argument.split_once('=') {
                Some((option, value)) if option.starts_with("--") => (option.to_owned(), Some(value.to_owned())),
                _ => (argument.clone(), None),
            };
            let mut value = || {
                joined.clone().or_else(|| rest.next()).ok_or_else(|| Error::Option(format!("{option} needs a value")))
            };
            match option.as_str() {
                "--server" => options.server = value()?,
                "--token-file" => options.token = read_token(&value()?)?,
                "--name" => options.name = Some(value()?),
                "--max-matches" => options.max_matches = Some(number(&option, &value()?)?),
                "--tls" => options.tls = true,
                "--tls-ca" => options.tls_ca = Some(value()?.into()),
                "--tls-cert" => options.tls_certificate = Some(value()?.into()),
                "--tls-key" => options.tls_key = Some(value()?.into()),
                _ => others.push(argument),
            }
        }
        *arguments = others;
        options.check()?;
        Ok(options)
    }

    /// Fails if these options cannot be, or would send the token in the open to another machine.
    pub fn check(&self) -> Result<(), Error> {
        let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
        match self.server.rsplit_once(':') {
            Some((host, port)) if !host.is_empty() && is_port(port) => {}
            _ => return Err(Error::Option(format!("--server must be HOST:PORT, not '{}'", self.server))),
        }
        if self.tls_certificate.is_some() != self.tls_key.is_some() {
            return Err(Error::Option("--tls-cert and --tls-key come together".to_owned()));
        }
        if !self.token.is_empty() && !self.uses_tls() && !self.is_loopback() {
            let host = self.host();
            return Err(Error::Option(format!("a token must not travel in the open to {host}: use --tls or --tls-ca")));
        }
        Ok(())
    }

    /// Whether the connection is encrypted.
    pub fn uses_tls(&self) -> bool {
        self.tls || self.tls_ca.is_some() || self.tls_certificate.is_some()
    }

    /// Whether the server is on this machine.
    pub fn is_loopback(&self) -> bool {
        let host = self.host();
        host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }

    fn host(&self) -> &str {
        let host = self.server.rsplit_once(':').map_or("", |(host, _)| host);
        host.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(host)
    }
}

/// What a file holds.
pub(crate) fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|error| Error::Option(format!("{} cannot be read: {error}", path.display())))
}

fn read_token(path: &str) -> Result<String, Error> {
    let text = read(Path::new(path))?;
    match text.split_whitespace().collect::<Vec<_>>()[..] {
        [token] => Ok(token.to_owned()),
        _ => Err(Error::Option(format!("{path} must hold a token and nothing else"))),
    }
}

fn number(option: &str, text: &str) -> Result<u16, Error> {
    match text.parse() {
        Ok(value) if value > 0 => Ok(value),
        _ => Err(Error::Option(format!("{option} must be a number from 1 to {}, not '{text}'", u16::MAX))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str], environment: &[(&str, &str)]) -> Result<Options, Error> {
        let mut arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        Options::from_arguments(&mut arguments, |name| {
            environment.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    fn problem(arguments: &[&str], environment: &[(&str, &str)]) -> String {
        parse(arguments, environment).expect_err("these options cannot be").to_string()
    }

    const TOKEN: &[(&str, &str)] = &[("HANSA_TOKEN", "secret")];

    #[test]
    fn has_defaults() {
        let options = parse(&[], &[]).unwrap();
        assert_eq!(options.server, "127.0.0.1:7717");
        assert!(!options.uses_tls());
    }

    #[test]
    fn prefers_the_command_line_to_the_environment() {
        let environment = [("HANSA_SERVER", "[::1]:1"), ("HANSA_TOKEN", "secret")];
        assert_eq!(parse(&[], &environment).unwrap().server, "[::1]:1");
        assert_eq!(parse(&[], &environment).unwrap().token, "secret");
        assert_eq!(parse(&["--server", "localhost:2"], &environment).unwrap().server, "localhost:2");
        assert_eq!(parse(&["--server=localhost:3"], &environment).unwrap().server, "localhost:3");
    }

    #[test]
    fn leaves_what_it_does_not_know() {
        let mut arguments = ["--bot", "random", "--name", "anna", "--max-matches", "3", "x"].map(String::from).to_vec();
        let options = Options::from_arguments(&mut arguments, |_| None).unwrap();
        assert_eq!(arguments, ["--bot", "random", "x"]);
        assert_eq!((options.name.as_deref(), options.max_matches), (Some("anna"), Some(3)));
    }

    #[test]
    fn reads_the_token_of_a_file() {
        let path = std::env::temp_dir().join(format!("hansa-token-{}", std::process::id()));
        let name = path.to_str().unwrap();
        fs::write(&path, "secret\n").unwrap();
        assert_eq!(parse(&["--token-file", name], &[]).unwrap().token, "secret");
        fs::write(&path, "two words\n").unwrap();
        assert_eq!(problem(&["--token-file", name], &[]), format!("{name} must hold a token and nothing else"));
        fs::remove_file(&path).unwrap();
        assert!(problem(&["--token-file", name], &[]).contains("cannot be read"));
    }

    #[test]
    fn sends_no_token_in_the_open() {
        for server in ["127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "localhost:1"] {
            assert!(parse(&["--server", server], TOKEN).is_ok(), "{server}");
        }
        for server in ["10.0.0.1:1", "[2001:db8::1]:1", "example.org:1", "127.0.0.1.example.org:1"] {
            assert!(problem(&["--server", server], TOKEN).contains("in the open"), "{server}");
            assert!(parse(&["--server", server, "--tls"], TOKEN).is_ok(), "{server}");
            assert!(parse(&["--server", server], &[]).is_ok(), "{server}");
        }
    }

    #[test]
    fn names_what_is_wrong() {
        assert_eq!(problem(&["--server", "nowhere"], &[]), "--server must be HOST:PORT, not 'nowhere'");
        assert_eq!(
            problem(&["--max-matches", "many"], &[]),
            "--max-matches must be a number from 1 to 65535, not 'many'"
        );
        assert_eq!(problem(&["--tls-cert", "file"], &[]), "--tls-cert and --tls-key come together");
        assert_eq!(problem(&["--name"], &[]), "--name needs a value");
    }

    #[test]
    fn shows_no_token() {
        let shown = format!("{:?}", parse(&[], TOKEN).unwrap());
        assert!(!shown.contains("secret"), "{shown}");
    }
}
