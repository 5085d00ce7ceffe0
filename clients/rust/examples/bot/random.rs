use hansa::{Bot, Choice, Decision, Dice, Failure, Profile};

/// Any legal action, all alike: the least a bot can be.
#[derive(Default)]
pub struct RandomBot {
    dice: Dice,
}

impl Bot for RandomBot {
    fn profile(&self) -> Profile {
        Profile {
            version: "1".to_owned(),
            max_matches: 256,
            views: false,
            texts: false,
            ..Profile::named("rust-random")
        }
    }

    fn choose(&mut self, decision: &Decision) -> Result<Choice, Failure> {
        Ok(decision.legal[self.dice.below(decision.legal.len())].id.into())
    }
}
