//! What the sensible bot likes in Hansa (2004).
//!
//! A sold good is worth 1 and its barrels, an unsold one 1, a city with a booth 2 (4 if nobody else is there). All values are
//! in points, more or less.

use std::collections::HashMap;

use hansa::v1::HansaView;
use hansa::v1::hansa_view::{City, Player};

use crate::sensible::Taste;

const MOST_UNSOLD: i32 = 3; // more are taken away at the end of a turn

/// A goods marker, such as `orange 2`.
#[derive(Clone, Copy)]
struct Good<'a> {
    colour: &'a str,
    barrels: f64,
}

impl<'a> Good<'a> {
    fn of(text: &'a str) -> Self {
        let (colour, barrels) = text.rsplit_once(' ').unwrap_or((text, ""));
        Self { colour, barrels: barrels.parse().unwrap_or_default() }
    }
}

pub struct HansaTaste<'a> {
    view: &'a HansaView,
    seat: usize,
    me: Player,
    cities: HashMap<&'a str, &'a City>,
    colours: HashMap<&'a str, i32>, // unsold goods
    unsold: i32,
}

impl<'a> HansaTaste<'a> {
    pub fn new(view: &'a HansaView, seat: usize) -> Self {
        let me = view.players.get(seat);
        let mut colours: HashMap<&str, i32> = HashMap::new();
        for good in me.iter().flat_map(|me| &me.unsold) {
            *colours.entry(Good::of(&good.kind).colour).or_default() += good.count;
        }
        Self {
            view,
            seat,
            me: me.cloned().unwrap_or_default(),
            cities: view.cities.iter().map(|city| (city.city.as_str(), city)).collect(),
            unsold: colours.values().sum(),
            colours,
        }
    }

    fn booths(&self, city: &str, seat: usize) -> i32 {
        self.cities.get(city).and_then(|city| city.booths.get(seat)).copied().unwrap_or_default()
    }

    fn most_of_others(&self, city: &str) -> i32 {
        let others = (0..self.view.players.len()).filter(|seat| *seat != self.seat);
        others.map(|seat| self.booths(city, seat)).max().unwrap_or_default()
    }

    /// Seats without a booth in a city.
    fn strangers(&self, city: &str) -> usize {
        (0..self.view.players.len()).filter(|seat| self.booths(city, *seat) == 0).count()
    }

    fn empty_warehouses(&self) -> usize {
        self.view.cities.iter().flat_map(|city| &city.warehouses).filter(|good| good.is_empty()).count()
    }

    fn count(&self, good: Good) -> i32 {
        self.colours.get(good.colour).copied().unwrap_or_default()
    }

    /// Whoever has the most booths alone buys for nothing.
    fn price(&self, city: &str) -> i32 {
        if self.booths(city, self.seat) > self.most_of_others(city) { 0 } else { 1 }
    }

    /// A good makes a pair with others of its colour, and then it can be sold for all its barrels.
    fn buy(&self, good: Good, city: &str) -> f64 {
        let price = f64::from(self.price(city));
        if self.unsold >= MOST_UNSOLD && self.count(good) == 0 {
            return 0.2 - price;
        }
        let pair = if self.count(good) > 0 { 1.0 + good.barrels } else { 0.6 * good.barrels };
        1.0 + pair - 0.7 * price
    }

    /// A first booth in a city counts at the end, lets us sell there, and the most of them make buying free.
    fn build(&self, good: Good, city: &str) -> f64 {
        if self.me.booths == 0 {
            return -1.0;
        }
        let (mine, most) = (self.booths(city, self.seat), self.most_of_others(city));
        let gain = match (mine, most) {
            (0, 0) => 4.0,
            (0, _) => 2.0,
            _ if mine <= most && f64::from(most) < f64::from(mine) + good.barrels => 1.5,
            _ => 0.0,
        };
        let loss = 1.0 + good.barrels * if self.count(good) >= 2 { 1.0 } else { 0.5 };
        gain + 0.5 - loss
    }

    /// The worth of selling every colour of which there are two or more.
    fn sale(&self) -> f64 {
        let goods = self.me.unsold.iter().map(|good| (Good::of(&good.kind), good.count));
        goods
            .filter(|(good, _)| self.count(*good) >= 2)
            .map(|(good, count)| f64::from(count) * (1.0 + good.barrels))
            .sum()
    }

    /// The best that could be done in a city.
    fn visit(&self, city: &str) -> f64 {
        let sale = if self.booths(city, self.seat) > 0 { self.sale() } else { 0.0 };
        let goods =
            self.cities.get(city).map_or(&[][..], |city| &city.warehouses).iter().filter(|good| !good.is_empty());
        let is_payable = self.price(city) < self.me.talers;
        let buys = goods.filter(|_| is_payable).map(|good| self.buy(Good::of(good), city));
        let builds = self.me.unsold.iter().map(|good| self.build(Good::of(&good.kind), city));
        buys.chain(builds).fold(sale, f64::max)
    }

    /// How much a good is worth to keep.
    fn keep(&self, good: Good) -> f64 {
        1.0 + good.barrels * if self.count(good) >= 2 { 1.0 } else { 0.4 }
    }
}

impl Taste for HansaTaste<'_> {
    fn value(&self, words: &[&str]) -> f64 {
        let Some((verb, rest)) = words.split_first() else { return 0.0 };
        let rest = rest.join(" ");
        match *verb {
            "place" if self.most_of_others(&rest) == 0 => 5.0 - self.strangers(&rest) as f64,
            "place" => 1.0,
            "replenish" => {
                if self.empty_warehouses() >= 3 {
                    1.0
                } else {
                    -1.0
                }
            }
            "sell" => 20.0 + Good::of(&rest).barrels,
            "buy" => self.buy(Good::of(&rest), &self.view.ship),
            "build" => self.build(Good::of(&rest), &self.view.ship),
            "sail" => 0.8 * self.visit(&rest) - 0.5,
            "lose" | "give" => -self.keep(Good::of(&rest)),
            _ => 0.0, // end, finish, skip
        }
    }
}
