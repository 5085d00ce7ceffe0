//! A bot at its matches: takes in what the server says about them, asks the bot, gives its answers. Knows no stream.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use crate::bot::{Action, Bot, Choice, Clock, Decision, Failure, Match};
use crate::dice::Dice;
use crate::note;
use crate::v1;
use crate::v1::answer::Choice as Chosen;
use crate::v1::play_request::Message as Request;
use crate::v1::play_response::Message as Response;

const MOST_COMMENT: usize = 280;

/// A match with what is needed to answer. A bot that plays against itself has several seats in it.
#[derive(Default)]
struct Seated {
    seats: BTreeMap<i32, Match>,
    sequence: i32, // of the newest decision
    legal: Vec<Action>,
    tried: HashSet<i32>, // ids that were answered to it
}

pub(crate) struct Table<B> {
    bot: B,
    resign_on_error: bool,
    matches: HashMap<String, Seated>,
    dice: Dice,
}

impl<B: Bot> Table<B> {
    pub(crate) fn new(bot: B) -> Self {
        let resign_on_error = bot.profile().resign_on_error;
        Self { bot, resign_on_error, matches: HashMap::new(), dice: Dice::default() }
    }

    /// Takes in a message about a match that was received at this time; gives the bot's reply, if it has one.
    ///
    /// What the bot does wrong ends here: it is noted, and no other match hears of it.
    pub(crate) fn take(&mut self, message: Response, received: Instant) -> Option<Request> {
        match message {
            Response::MatchStarted(message) => self.start(message),
            Response::MatchEvents(message) => self.hear(message),
            Response::DecisionRequest(message) => return self.decide(message, received),
            Response::AnswerRejected(message) => return self.try_again(&message),
            Response::MatchEnded(message) => self.end(&message),
            Response::Welcome(_) | Response::Notice(_) => {}
        }
        None
    }

    fn start(&mut self, message: v1::MatchStarted) {
        let seated = self.matches.entry(message.match_id.clone()).or_default();
        if seated.seats.contains_key(&message.seat) {
            note(&format!("match {} goes on after {} actions", message.match_id, message.history.len()));
            take_up(&mut self.bot, seated, &message.history);
            return;
        }
        take_up(&mut self.bot, seated, &message.history);
        let seat = Match {
            id: message.match_id,
            seat: message.seat,
            rules: message.rules.unwrap_or_default(),
            players: message.players,
            clock: message.clock.unwrap_or_default(),
            history: message.history,
            forfeits: BTreeMap::new(),
        };
        note(&format!("match {}: {}, seat {} of {}", seat.id, seat.rules.game, seat.seat, seat.players.join(", ")));
        guarded(&seat.id, "match_started", || self.bot.match_started(&seat));
        seated.seats.insert(seat.seat, seat);
    }

    fn hear(&mut self, message: v1::MatchEvents) {
        let Some(seated) = self.matches.get_mut(&message.match_id) else { return };
        for forfeit in &message.forfeits {
            for (seat, game) in &mut seated.seats {
                game.forfeits.insert(forfeit.seat, forfeit.reason());
                if *seat == forfeit.seat {
                    note(&format!("match {}: this seat is forfeited: {}", game.id, words_of(forfeit.reason())));
                }
            }
        }
        take_up(&mut self.bot, seated, &message.actions);
    }

    fn decide(&mut self, message: v1::DecisionRequest, received: Instant) -> Option<Request> {
        let seated = self.matches.entry(message.match_id.clone()).or_default();
        take_up(&mut self.bot, seated, &message.events);
        let mut texts = message.legal_texts.into_iter();
        let legal = message.legal_actions.iter();
        seated.legal = legal.map(|&id| Action { id, text: texts.next().unwrap_or_default() }).collect();
        seated.sequence = message.sequence;
        seated.tried.clear();
        let game = seated.seats.entry(message.seat).or_insert_with(|| Match {
            id: message.match_id.clone(), // a seat of which no start was heard
            seat: message.seat,
            ..Match::default()
        });
        let decision = Decision {
            of: game,
            sequence: message.sequence,
            seat: usize::try_from(message.seat).unwrap_or_default(),
            phase: &message.phase,
            legal: &seated.legal,
            view: match &message.position {
                Some(v1::decision_request::Position::View(view)) => Some(view),
                _ => None,
            },
            clock: Clock::new(message.clock.as_ref(), received),
        };
        let place = format!("match {}, decision {} ({})", message.match_id, message.sequence, message.phase);
        let Some(any) = self.dice.pick(&seated.legal) else {
            note(&format!("{place}: there are no legal actions"));
            return None;
        };
        let choice = match ask(&mut self.bot, &decision) {
            Ok(choice) => choice,
            Err(failure) if self.resign_on_error => {
                note(&format!("{place}: choosing failed, the match is given up: {failure}"));
                return Some(Request::Resign(v1::Resign { match_id: message.match_id }));
            }
            Err(failure) => {
                note(&format!("{place}: choosing failed, playing {} ({}) instead: {failure}", any.id, any.text));
                any.into()
            }
        };
        seated.tried.insert(choice.action);
        Some(answer(message.match_id, message.sequence, choice))
    }

    /// An answer was refused. It was checked before it was sent, so the server knows better: take another one.
    fn try_again(&mut self, message: &v1::AnswerRejected) -> Option<Request> {
        note(&format!(
            "match {}, decision {}: answer not taken: {}",
            message.match_id, message.sequence, message.explanation
        ));
        let is_worth_it = matches!(message.problem(), v1::AnswerProblem::IllegalAction | v1::AnswerProblem::Malformed);
        let seated = self.matches.get_mut(&message.match_id)?;
        if seated.sequence != message.sequence || !is_worth_it {
            return None;
        }
        let rest: Vec<i32> =
            seated.legal.iter().map(|action| action.id).filter(|id| !seated.tried.contains(id)).collect();
        let any = *self.dice.pick(&rest)?;
        seated.tried.insert(any);
        Some(answer(message.match_id.clone(), message.sequence, any.into()))
    }

    fn end(&mut self, message: &v1::MatchEnded) {
        let Some(seated) = self.matches.remove(&message.match_id) else { return };
        let result = message.result.as_ref();
        for (seat, game) in &seated.seats {
            match result.map(|result| result.seats.iter().find(|mine| mine.seat == *seat)) {
                None => note(&format!("match {} ended while the bot was away", game.id)),
                Some(Some(mine)) => {
                    note(&format!(
                        "match {} is over: seat {seat}, {} points, place {}",
                        game.id, mine.total, mine.rank
                    ));
                }
                Some(None) => {}
            }
            guarded(&game.id, "match_ended", || self.bot.match_ended(game, result));
        }
    }
}

/// Asks the bot; what it chooses is a legal action.
fn ask<B: Bot>(bot: &mut B, decision: &Decision) -> Result<Choice, Failure> {
    let choice = catch_unwind(AssertUnwindSafe(|| bot.choose(decision))).map_err(|_| "choose() panicked")??;
    if decision.legal.iter().any(|action| action.id == choice.action) {
        return Ok(choice);
    }
    Err(format!("{} is none of the {} legal actions", choice.action, decision.legal.len()).into())
}

/// Calls a hook of the bot; if it panics the match goes on.
fn guarded(match_id: &str, name: &str, hook: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(hook)).is_err() {
        note(&format!("match {match_id}: {name}() panicked"));
    }
}

/// Adds actions to the history, and tells the bot of those that were not there before.
fn take_up<B: Bot>(bot: &mut B, seated: &mut Seated, actions: &[v1::PlayedAction]) {
    for game in seated.seats.values_mut() {
        let known = game.history.len();
        let news =
            actions.iter().filter(|played| usize::try_from(played.sequence).is_ok_and(|sequence| sequence >= known));
        game.history.extend(news.cloned());
        if game.history.len() > known {
            guarded(&game.id, "actions_played", || bot.actions_played(game, &game.history[known..]));
        }
    }
}

fn answer(match_id: String, sequence: i32, choice: Choice) -> Request {
    Request::Answer(v1::Answer {
        match_id,
        sequence,
        choice: Some(Chosen::Action(choice.action)),
        evaluation: choice.evaluation,
        comment: choice.comment.chars().take(MOST_COMMENT).collect(),
    })
}

/// "timeout", "illegal answer": why a seat was given up.
fn words_of(reason: v1::ForfeitReason) -> String {
    reason.as_str_name().trim_start_matches("FORFEIT_REASON_").replace('_', " ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;
    use std::time::Duration;

    type Choosing = Box<dyn FnMut(&Decision) -> Result<Choice, Failure> + Send>;

    /// Does what a test says, and remembers what it heard.
    struct ScriptedBot {
        resign_on_error: bool,
        choosing: Choosing,
        started: usize,
        heard: Vec<i32>,
        ended: Vec<bool>,
    }

    impl Bot for ScriptedBot {
        fn profile(&self) -> Profile {
            Profile { resign_on_error: self.resign_on_error, ..Profile::named("scripted") }
        }
        fn choose(&mut self, decision: &Decision) -> Result<Choice, Failure> {
            (self.choosing)(decision)
        }
        fn match_started(&mut self, _: &Match) {
            self.started += 1;
        }
        fn actions_played(&mut self, _: &Match, actions: &[v1::PlayedAction]) {
            self.heard.extend(actions.iter().map(|action| action.sequence));
        }
        fn match_ended(&mut self, _: &Match, result: Option<&v1::Result>) {
            self.ended.push(result.is_some());
        }
    }

    fn table(resign_on_error: bool) -> Table<ScriptedBot> {
        let choosing: Choosing = Box::new(|decision| Ok((&decision.legal[0]).into()));
        Table::new(ScriptedBot { resign_on_error, choosing, started: 0, heard: vec![], ended: vec![] })
    }

    impl Table<ScriptedBot> {
        fn hears(&mut self, message: Response) -> Option<Request> {
            self.take(message, Instant::now())
        }
        fn action(&mut self, message: Response) -> Option<i32> {
            match self.hears(message)? {
                Request::Answer(answer) => match answer.choice? {
                    Chosen::Action(action) => Some(action),
                    Chosen::Text(_) => None,
                },
                _ => None,
            }
        }
    }

    fn played(count: i32) -> Vec<v1::PlayedAction> {
        (0..count).map(|sequence| v1::PlayedAction { sequence, ..Default::default() }).collect()
    }

    fn started(seat: i32, count: i32) -> Response {
        let message = v1::MatchStarted { match_id: "m".into(), seat, history: played(count), ..Default::default() };
        Response::MatchStarted(message)
    }

    fn asked(sequence: i32, seat: i32, legal: &[i32]) -> Response {
        let seconds = |seconds| Some(prost_types::Duration { seconds, nanos: 0 });
        Response::DecisionRequest(v1::DecisionRequest {
            match_id: "m".into(),
            sequence,
            seat,
            legal_actions: legal.to_vec(),
            clock: Some(v1::ClockState { decision: seconds(10), bank: None }),
            events: played(sequence),
            ..Default::default()
        })
    }

    fn rejected(sequence: i32, problem: v1::AnswerProblem) -> Response {
        let problem = problem.into();
        Response::AnswerRejected(v1::AnswerRejected { match_id: "m".into(), sequence, problem, ..Default::default() })
    }

    fn ended(result: Option<v1::Result>) -> Response {
        Response::MatchEnded(v1::MatchEnded { match_id: "m".into(), result })
    }

    #[test]
    fn answers_with_the_sequence_of_the_decision() {
        let mut table = table(false);
        assert_eq!(table.hears(started(0, 0)), None);
        match table.hears(asked(4, 0, &[3, 5])) {
            Some(Request::Answer(answer)) => {
                assert_eq!((answer.match_id.as_str(), answer.sequence), ("m", 4));
                assert_eq!(answer.choice, Some(Chosen::Action(3)));
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn tells_the_bot_every_action_once() {
        let mut table = table(false);
        table.hears(started(0, 2));
        table.hears(asked(4, 0, &[3, 5]));
        table.hears(asked(5, 0, &[3, 5]));
        table.hears(started(0, 6)); // after a reconnection
        assert_eq!(table.bot.started, 1);
        assert_eq!(table.bot.heard, [2, 3, 4, 5]);
    }

    #[test]
    fn gives_the_clock_of_the_decision() {
        let mut table = table(false);
        let (tell, told) = std::sync::mpsc::channel();
        table.bot.choosing = Box::new(move |decision| {
            tell.send(decision.clock.left())?;
            Ok(3.into())
        });
        let long_ago = |seconds| Instant::now().checked_sub(Duration::from_secs(seconds)).unwrap();
        table.take(asked(0, 0, &[3, 5]), long_ago(4));
        table.take(asked(1, 0, &[3, 5]), long_ago(40));
        assert!(told.recv().unwrap() <= Some(Duration::from_secs(6)));
        assert_eq!(told.recv().unwrap(), Some(Duration::ZERO));
    }

    #[test]
    fn plays_any_legal_action_when_the_bot_fails() {
        let mut table = table(false);
        table.hears(started(0, 0));
        table.bot.choosing = Box::new(|_| Err("no idea".into()));
        assert_eq!(table.action(asked(0, 0, &[7])), Some(7));
        table.bot.choosing = Box::new(|_| Ok(4.into()));
        assert_eq!(table.action(asked(1, 0, &[7])), Some(7));
        table.bot.choosing = Box::new(|_| panic!("as the test wants it"));
        assert_eq!(table.action(asked(2, 0, &[7])), Some(7));
    }

    #[test]
    fn resigns_when_the_bot_fails_and_wants_that() {
        let mut table = table(true);
        table.bot.choosing = Box::new(|_| Err("no idea".into()));
        let resigned = Request::Resign(v1::Resign { match_id: "m".into() });
        assert_eq!(table.hears(asked(0, 0, &[3, 5])), Some(resigned));
    }

    #[test]
    fn tries_every_other_action_after_refusals() {
        let mut table = table(false);
        table.hears(started(0, 0));
        let mut tried = vec![table.action(asked(0, 0, &[3, 5, 8]))];
        tried.push(table.action(rejected(0, v1::AnswerProblem::IllegalAction)));
        tried.push(table.action(rejected(0, v1::AnswerProblem::Malformed)));
        tried.sort_unstable();
        assert_eq!(tried, [Some(3), Some(5), Some(8)]);
        assert_eq!(table.hears(rejected(0, v1::AnswerProblem::IllegalAction)), None);
    }

    #[test]
    fn leaves_refusals_that_cost_nothing() {
        let mut table = table(false);
        table.hears(started(0, 0));
        table.hears(asked(1, 0, &[3, 5]));
        assert_eq!(table.hears(rejected(1, v1::AnswerProblem::StaleSequence)), None);
        assert_eq!(table.hears(rejected(0, v1::AnswerProblem::IllegalAction)), None);
    }

    #[test]
    fn keeps_several_seats_of_a_match_apart() {
        let mut table = table(false);
        table.hears(started(0, 0));
        table.hears(started(2, 0));
        assert_eq!(table.bot.started, 2);
        let (tell, told) = std::sync::mpsc::channel();
        table.bot.choosing = Box::new(move |decision| {
            tell.send((decision.seat, decision.of.seat))?;
            Ok(1.into())
        });
        table.hears(asked(0, 2, &[1, 2]));
        table.hears(asked(1, 0, &[1, 2]));
        drop(table);
        assert_eq!(told.iter().collect::<Vec<_>>(), [(2, 2), (0, 0)]);
    }

    #[test]
    fn forgets_a_match_that_is_over() {
        let mut table = table(false);
        table.hears(started(0, 0));
        table.hears(ended(None));
        table.hears(ended(None));
        table.hears(started(0, 0));
        table.hears(ended(Some(v1::Result::default())));
        assert_eq!(table.bot.ended, [false, true]);
    }

    #[test]
    fn keeps_whole_characters_of_a_comment() {
        let mut table = table(false);
        table.bot.choosing =
            Box::new(|_| Ok(Choice { action: 3, evaluation: vec![1.0, 2.0], comment: "ü".repeat(300) }));
        match table.hears(asked(0, 0, &[3, 5])) {
            Some(Request::Answer(answer)) => {
                assert_eq!(answer.comment, "ü".repeat(280));
                assert_eq!(answer.evaluation.len(), 2);
            }
            other => panic!("{other:?}"),
        }
    }
}
