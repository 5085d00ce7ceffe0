import type { Action, Bot, Decision } from "../index.js";
import { HansaTaste } from "./hansa.js";
import { TeutonicaTaste } from "./teutonica.js";

/** What a seat likes in a position. */
export interface Taste {
  /** How good an action is; its text in words. Values only compare actions of the same decision. */
  value(verb: string, ...words: string[]): number;
}

/**
 * Gives every action a value and plays the best one; among equals, any. No look ahead, no rules engine.
 *
 * To try an idea of your own, change what actions are worth in teutonica.ts and hansa.ts.
 */
export const sensible: Bot = {
  name: "typescript-sensible",
  version: "1",
  maxMatches: 256,
  choose(decision) {
    const taste = tasteOf(decision);
    let best: Action[] = [];
    let most = -Infinity;
    for (const action of decision.legal) {
      const [verb = "", ...words] = action.text.split(" ");
      const value = taste.value(verb, ...words);
      if (value > most) [best, most] = [[], value];
      if (value === most) best.push(action);
    }
    return best[Math.floor(Math.random() * best.length)];
  },
};

function tasteOf({ legal, seat, view }: Decision): Taste {
  switch (view?.game.case) {
    case "teutonica":
      return new TeutonicaTaste(view.game.value, seat, legal);
    case "hansa":
      return new HansaTaste(view.game.value, seat);
    default:
      throw new Error("a game that this bot does not know");
  }
}
