//! What the sensible bot likes in Hansa Teutonica.
//!
//! The board is not known, but what a decision needs of it is in the view and in the texts of the legal actions: free posts
//! are those where a piece could be placed.

use std::collections::{HashMap, HashSet};

use hansa::Action;
use hansa::v1::TeutonicaView;

use crate::sensible::Taste;

const REWARDS: [&str; 5] = ["none", "office", "develop", "extra", "prestige"];

fn worth_of_ability(ability: &str) -> i32 {
    match ability {
        "actions" => 12,
        "privilege" | "keys" => 6,
        "bank" => 5,
        "book" => 4,
        _ => 0,
    }
}

fn worth_of_marker(kind: &str) -> i32 {
    match kind {
        "actions_4" => 5,
        "actions_3" | "develop_ability" => 4,
        "swap_posts" => 2,
        _ => 3,
    }
}

/// The route of a post: `Kampen-Osnabrück 2` belongs to `Kampen-Osnabrück`.
fn route_of(post: &str) -> &str {
    post.rsplit_once(' ').map_or(post, |(route, _)| route)
}

/// How many pieces a text such as `income 2 traders 1 merchant` names.
fn count(words: &[&str]) -> i32 {
    words.iter().filter_map(|word| word.parse::<i32>().ok()).sum()
}

/// A merchant is worth more than a trader, so it is kept.
fn cost(words: &[&str]) -> i32 {
    if words.get(1) == Some(&"merchant") { 2 } else { 0 }
}

pub struct TeutonicaTaste<'a> {
    pieces: i32,                        // at hand
    developed: HashMap<&'a str, i32>,   // spaces by ability
    mine: HashMap<&'a str, i32>,        // pieces by route
    theirs: HashMap<&'a str, i32>,      // the same
    free: HashMap<String, i32>,         // posts by route
    markers: HashMap<&'a str, &'a str>, // kinds by route
}

impl<'a> TeutonicaTaste<'a> {
    pub fn new(view: &'a TeutonicaView, seat: usize, legal: &[Action]) -> Self {
        let me = view.players.get(seat);
        let supply = me.and_then(|me| me.supply).unwrap_or_default();
        let abilities = me.map_or(&[][..], |me| &me.abilities);
        let (mut mine, mut theirs) = (HashMap::new(), HashMap::new());
        let mut known = HashSet::new(); // posts that are taken, and then those that are counted as free
        for post in &view.posts {
            known.insert(post.post.clone());
            let is_mine = post.piece.is_some_and(|piece| usize::try_from(piece.seat) == Ok(seat));
            *if is_mine { &mut mine } else { &mut theirs }.entry(route_of(&post.post)).or_default() += 1;
        }
        let mut free: HashMap<String, i32> = HashMap::new();
        for action in legal {
            let words: Vec<&str> = action.text.split_whitespace().collect();
            let post = match words[..] {
                ["place" | "answer" | "place-two", _, ref post @ ..] | ["set" | "to", ref post @ ..] => post.join(" "),
                _ => continue,
            };
            if !post.is_empty() && known.insert(post.clone()) {
                *free.entry(route_of(&post).to_owned()).or_default() += 1;
            }
        }
        Self {
            pieces: supply.traders + supply.merchants,
            developed: abilities.iter().map(|ability| (ability.ability.as_str(), ability.developed)).collect(),
            mine,
            theirs,
            free,
            markers: view.markers.iter().map(|marker| (marker.route.as_str(), marker.kind.as_str())).collect(),
        }
    }

    fn mine(&self, route: &str) -> i32 {
        self.mine.get(route).copied().unwrap_or_default()
    }

    fn theirs(&self, route: &str) -> i32 {
        self.theirs.get(route).copied().unwrap_or_default()
    }

    fn free(&self, route: &str) -> i32 {
        self.free.get(route).copied().unwrap_or_default()
    }

    /// What an ability is worth: less with every space that is developed.
    fn ability(&self, ability: &str) -> i32 {
        worth_of_ability(ability) - self.developed.get(ability).copied().unwrap_or_default()
    }

    /// A finished route: the marker on it, and what is done with it.
    fn establish(&self, words: &[&str]) -> i32 {
        // A route may hold spaces, so what follows it is found by its word.
        let Some(at) = words.iter().position(|word| REWARDS.contains(word)) else { return 0 };
        let marker = self.markers.get(words[1..at].join(" ").as_str()).map_or(0, |kind| worth_of_marker(kind));
        let reward = match words[at..] {
            ["develop", ability, ..] => self.ability(ability),
            ["office", ..] => 9,
            ["extra", ..] => 7,
            ["prestige", points, ..] => 8 + points.parse::<i32>().unwrap_or_default(),
            _ => 0,
        };
        marker + reward
    }

    /// A piece on a post: the nearer its route is to being ours, the better. Long routes need many turns.
    fn stand(&self, post: &str) -> i32 {
        let route = route_of(post);
        let marker = if self.markers.contains_key(route) { 2 } else { 0 };
        6 * self.mine(route) - 4 * self.theirs(route) - 2 * self.free(route) + marker
    }

    /// Worth its fee only to finish a route.
    fn displace(&self, post: &str) -> i32 {
        let route = route_of(post);
        let is_last = self.mine(route) >= 2 && self.theirs(route) == 1 && self.free(route) == 0;
        if is_last && self.pieces >= 3 { 85 } else { -10 }
    }
}

impl Taste for TeutonicaTaste<'_> {
    fn value(&self, words: &[&str]) -> f64 {
        let value = match words {
            ["route", ..] => 200 + self.establish(words),
            // Markers are for using: more actions at once, abilities as soon as possible.
            ["use", "actions_3" | "actions_4", ..] => {
                if self.pieces >= 3 {
                    98
                } else {
                    -5
                }
            }
            ["use", "develop_ability", ability, ..] => 98 + self.ability(ability),
            ["use", ..] => -5, // swapping offices and moving pieces without a plan does as much harm as good
            ["place" | "answer" | "place-two", _, post @ ..] => 60 + self.stand(&post.join(" ")) - cost(words),
            ["to" | "set", post @ ..] => 60 + self.stand(&post.join(" ")),
            ["displace", _, post @ ..] => self.displace(&post.join(" ")) - cost(words),
            ["income", ..] => {
                if self.pieces <= 1 {
                    90 + count(words)
                } else {
                    5
                }
            }
            ["pay", ..] => {
                -count(words) - 2 * words.iter().map(|word| i32::from(word.starts_with("merchant"))).sum::<i32>()
            }
            ["favour-income", shape, ..] => {
                if *shape == "merchant" {
                    2
                } else {
                    1
                }
            }
            ["develop-privilege" | "green-office", ..] => 10,
            ["lift", post @ ..] => -self.mine(route_of(&post.join(" "))), // those that stand alone go first
            ["remove", post @ ..] => {
                if self.mine(route_of(&post.join(" "))) == 0 {
                    1
                } else {
                    -1
                }
            }
            ["on", route @ ..] => -(self.mine(&route.join(" ")) - 1).abs(),
            ["pawn", .., "action"] => -10,
            ["pawn", ..] => 3,
            ["move", ..] => {
                if self.pieces == 0 && self.mine.len() > 1 {
                    8
                } else {
                    -5
                }
            } // bring together what stands about
            ["favour", ..] => -5,
            _ => 0, // end, finish, stop, decline, skip, flip, put-marker
        };
        f64::from(value)
    }
}
