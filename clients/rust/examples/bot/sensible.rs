use hansa::v1::view::Game;
use hansa::{Action, Bot, Choice, Decision, Dice, Failure, Profile};

use crate::hansa_taste::HansaTaste;
use crate::teutonica_taste::TeutonicaTaste;

/// What a seat likes in a position. Values only compare actions of the same decision.
pub trait Taste {
    /// How good an action is; its text in words, such as "place", "trader", "Kampen-Osnabrück", "2".
    fn value(&self, words: &[&str]) -> f64;
}

/// Takes points and routes: every action has a value, the best one is played. No look ahead, no rules engine.
#[derive(Default)]
pub struct SensibleBot {
    dice: Dice,
}

impl Bot for SensibleBot {
    fn profile(&self) -> Profile {
        Profile { version: "1".to_owned(), max_matches: 256, ..Profile::named("rust-sensible") }
    }

    fn choose(&mut self, decision: &Decision) -> Result<Choice, Failure> {
        let best = match decision.view.and_then(|view| view.game.as_ref()) {
            Some(Game::Teutonica(view)) => {
                best(&TeutonicaTaste::new(view, decision.seat, decision.legal), decision.legal)
            }
            Some(Game::Hansa(view)) => best(&HansaTaste::new(view, decision.seat), decision.legal),
            None => decision.legal.iter().collect(), // a game this bot does not know
        };
        Ok((*self.dice.pick(&best).ok_or("nothing is legal")?).into())
    }
}

/// The actions of the highest value.
fn best<'a>(taste: &impl Taste, legal: &'a [Action]) -> Vec<&'a Action> {
    let value = |action: &Action| taste.value(&action.text.split_whitespace().collect::<Vec<_>>());
    let values: Vec<f64> = legal.iter().map(value).collect();
    let highest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    legal.iter().zip(values).filter(|(_, value)| *value >= highest).map(|(action, _)| action).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hansa::v1::{self, HansaView, TeutonicaView, View, hansa_view, teutonica_view};
    use hansa::{Clock, Match};
    use std::time::Instant;

    /// What the bot plays, in words.
    fn chosen<'a>(game: Option<Game>, texts: &[&'a str]) -> &'a str {
        let legal: Vec<Action> =
            texts.iter().zip(0..).map(|(text, id)| Action { id, text: (*text).to_owned() }).collect();
        let view = View { game, ..View::default() };
        let decision = Decision {
            of: &Match::default(),
            sequence: 0,
            seat: 0,
            phase: "main",
            legal: &legal,
            view: Some(&view),
            clock: Clock::new(None, Instant::now()),
        };
        texts[SensibleBot::default().choose(&decision).unwrap().action as usize]
    }

    fn teutonica(pieces: i32, posts: &[(&str, i32)]) -> Option<Game> {
        let stand = |(post, seat): &(&str, i32)| teutonica_view::Post {
            post: (*post).to_owned(),
            piece: Some(v1::Piece { shape: v1::Shape::Trader.into(), seat: *seat }),
        };
        let supply = Some(v1::PieceCount { traders: pieces, merchants: 0 });
        Some(Game::Teutonica(TeutonicaView {
            posts: posts.iter().map(stand).collect(),
            players: vec![teutonica_view::Player { supply, ..Default::default() }],
            ..Default::default()
        }))
    }

    fn hansa() -> Option<Game> {
        let unsold = vec![v1::KindCount { kind: "orange 2".to_owned(), count: 1 }];
        Some(Game::Hansa(HansaView {
            ship: "Aalborg".to_owned(),
            cities: vec![hansa_view::City { city: "Aalborg".to_owned(), booths: vec![0, 1], warehouses: vec![] }],
            players: vec![
                hansa_view::Player { talers: 3, booths: 5, unsold, sold: vec![] },
                hansa_view::Player::default(),
            ],
            ..Default::default()
        }))
    }

    #[test]
    fn finishes_a_route_before_anything_else() {
        let texts = ["end", "place trader A-B 1", "route A-B none", "route A-B office A"];
        assert_eq!(chosen(teutonica(5, &[]), &texts), "route A-B office A");
    }

    #[test]
    fn goes_where_it_stands_already() {
        let texts = ["place trader C-D 2", "place trader A-B 2", "place merchant A-B 2", "end"];
        assert_eq!(chosen(teutonica(5, &[("A-B 1", 0), ("C-D 1", 1)]), &texts), "place trader A-B 2");
    }

    #[test]
    fn takes_income_when_nothing_is_left() {
        let texts = ["end", "place trader A-B 1", "income 3 traders", "income 2 traders"];
        assert_eq!(chosen(teutonica(1, &[]), &texts), "income 3 traders");
        assert_eq!(chosen(teutonica(5, &[]), &texts), "place trader A-B 1");
    }

    #[test]
    fn buys_what_makes_a_pair() {
        assert_eq!(chosen(hansa(), &["buy brown 2", "buy orange 1", "end"]), "buy orange 1");
    }

    #[test]
    fn sells_before_it_buys() {
        assert_eq!(chosen(hansa(), &["buy orange 3", "sell orange 1", "sell orange 2", "end"]), "sell orange 2");
    }

    #[test]
    fn gives_away_the_least() {
        assert_eq!(chosen(hansa(), &["give orange 2", "give brown 1"]), "give brown 1");
    }

    #[test]
    fn plays_without_a_position() {
        assert!(["", "x"].contains(&chosen(None, &["", "x"])));
    }
}
