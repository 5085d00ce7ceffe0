//! What a bot is, and what it is told. Positions, rules and results are the messages of `proto/hansa/v1`.

use std::collections::BTreeMap;
use std::error;
use std::time::{Duration, Instant};

use crate::v1;

/// Why a bot could not choose: any error will do.
pub type Failure = Box<dyn error::Error + Send + Sync>;

/// A bot: write `profile` and `choose`.
///
/// All methods are called in one thread, one call after the other, so a bot keeps what it likes in its fields. The stream to
/// the server lives elsewhere and stays alive however long a bot thinks.
pub trait Bot: Send + 'static {
    /// How it introduces itself.
    fn profile(&self) -> Profile;

    /// Decide. A failure or panic costs this one decision, or the match with `resign_on_error`; other matches do not notice.
    fn choose(&mut self, decision: &Decision) -> Result<Choice, Failure>;

    /// A match begins; its history is not empty if the bot comes into a running one.
    fn match_started(&mut self, _match: &Match) {}

    /// Actions were played, the bot's own included.
    fn actions_played(&mut self, _match: &Match, _actions: &[v1::PlayedAction]) {}

    /// A match is over. There is no result if it ended while the bot was not connected.
    fn match_ended(&mut self, _match: &Match, _result: Option<&v1::Result>) {}
}

/// How a bot introduces itself, and what it wants to be sent.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Under which it plays; with a token, the token's name counts.
    pub name: String,
    /// For records and ratings.
    pub version: String,
    /// Games that it plays, such as "teutonica"; empty for all.
    pub games: Vec<String>,
    /// At once.
    pub max_matches: u16,
    /// Wants positions.
    pub views: bool,
    /// Wants actions in words.
    pub texts: bool,
    /// Hears at once of what is played, not with its next decision.
    pub events_at_once: bool,
    /// When choosing fails: give the match up, instead of playing any legal action.
    pub resign_on_error: bool,
}

impl Profile {
    /// Plays 16 matches of all games at once, and wants positions and texts.
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            version: String::new(),
            games: Vec::new(),
            max_matches: 16,
            views: true,
            texts: true,
            events_at_once: false,
            resign_on_error: false,
        }
    }
}

/// A legal action: its id and, if texts are wanted, what it means in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Action {
    /// The same in all languages and versions.
    pub id: i32,
    /// Unique among the legal actions of the position.
    pub text: String,
}

/// A match that this bot plays. A bot that sits at several seats of a match has a `Match` for each.
#[derive(Clone, Debug, Default)]
pub struct Match {
    /// Names the match.
    pub id: String,
    /// Where this bot sits, from 0.
    pub seat: i32,
    /// The options of the game, all filled in.
    pub rules: v1::Rules,
    /// The names by seat; empty names when the opponents are kept secret.
    pub players: Vec<String>,
    /// How time is counted.
    pub clock: v1::ClockRules,
    /// Everything played so far.
    pub history: Vec<v1::PlayedAction>,
    /// Seats given up, and why.
    pub forfeits: BTreeMap<i32, v1::ForfeitReason>,
}

/// A decision that this bot has to make.
#[derive(Debug)]
pub struct Decision<'a> {
    /// The match it belongs to.
    pub of: &'a Match,
    /// How many actions were played before it.
    pub sequence: i32,
    /// The seat that decides.
    pub seat: usize,
    /// What is being decided (docs/actions.md).
    pub phase: &'a str,
    /// The legal actions; never empty.
    pub legal: &'a [Action],
    /// The position as this seat sees it, if the bot wants views.
    pub view: Option<&'a v1::View>,
    /// The clock.
    pub clock: Clock,
}

/// The clock of a decision.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    pub(crate) decision: Option<Duration>,
    pub(crate) bank: Option<Duration>,
    pub(crate) received: Instant,
}

impl Clock {
    /// Reads the clock of a decision that was received at this time.
    pub fn new(state: Option<&v1::ClockState>, received: Instant) -> Self {
        let read = |part: Option<prost_types::Duration>| part.and_then(|duration| Duration::try_from(duration).ok());
        Self {
            decision: read(state.and_then(|state| state.decision)),
            bank: read(state.and_then(|state| state.bank)),
            received,
        }
    }

    /// What is left for this decision now, if there is a limit.
    pub fn left(&self) -> Option<Duration> {
        self.decision.map(|decision| decision.saturating_sub(self.received.elapsed()))
    }

    /// What was left in the bank when the decision was asked for, if there is one.
    pub fn bank(&self) -> Option<Duration> {
        self.bank
    }
}

/// What a bot decides: a legal action, and something for spectators if it likes.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// The id of the action.
    pub action: i32,
    /// What each seat is expected to score, by seat.
    pub evaluation: Vec<f32>,
    /// A remark; at most 280 characters are kept.
    pub comment: String,
}

impl From<i32> for Choice {
    fn from(action: i32) -> Self {
        Self { action, ..Self::default() }
    }
}

impl From<&Action> for Choice {
    fn from(action: &Action) -> Self {
        action.id.into()
    }
}
