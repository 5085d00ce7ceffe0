import type { HansaView } from "../index.js";
import type { Taste } from "./sensible.js";

const LARGEST_UNSOLD = 3; // more goods are taken away at the end of a turn

/**
 * What a seat likes in Hansa (2004). All values are in points, more or less: a sold good is worth 1 and its barrels, an unsold one 1, a
 * city with a booth 2, or 4 if nobody else is there.
 */
export class HansaTaste implements Taste {
  readonly #view: HansaView;
  readonly #seat: number;
  readonly #cities: Map<string, HansaView["cities"][number]>;
  readonly #unsold: { good: string; count: number }[];
  readonly #colours = new Map<string, number>(); // unsold goods by colour

  constructor(view: HansaView, seat: number) {
    this.#view = view;
    this.#seat = seat;
    this.#cities = new Map(view.cities.map((city) => [city.city, city]));
    this.#unsold = (this.#me?.unsold ?? []).map(({ count, kind }) => ({ good: kind, count }));
    for (const { count, good } of this.#unsold) {
      const { colour } = split(good);
      this.#colours.set(colour, this.#of(colour) + count);
    }
  }

  value(verb: string, ...words: string[]): number {
    const rest = words.join(" ");
    switch (verb) {
      case "place":
        return this.#mostOfOthers(rest) === 0 ? 2 : 1;
      case "replenish":
        return this.#view.cities.flatMap((city) => city.warehouses).filter((good) => !good).length >= 3 ? 1 : -1;
      case "sell":
        return 20 + split(rest).barrels;
      case "buy":
        return this.#buy(rest, this.#view.ship);
      case "build":
        return this.#build(rest, this.#view.ship);
      case "sail":
        return 0.8 * this.#visit(rest) - 0.5;
      case "lose":
      case "give":
        return -this.#keep(rest);
      default: // end, finish, skip
        return 0;
    }
  }

  get #me(): HansaView["players"][number] | undefined {
    return this.#view.players[this.#seat];
  }

  #of(colour: string): number {
    return this.#colours.get(colour) ?? 0;
  }

  #booths(city: string): number {
    return this.#cities.get(city)?.booths[this.#seat] ?? 0;
  }

  #mostOfOthers(city: string): number {
    return Math.max(0, ...(this.#cities.get(city)?.booths ?? []).filter((_, seat) => seat !== this.#seat));
  }

  /** Goods cost nothing where we have more booths than anybody else. */
  #price(city: string): number {
    return this.#booths(city) > this.#mostOfOthers(city) ? 0 : 1;
  }

  /** A good makes a pair with others of its colour, and then it can be sold for all its barrels. */
  #buy(good: string, city: string): number {
    const { barrels, colour } = split(good);
    const unsold = this.#unsold.reduce((total, { count }) => total + count, 0);
    if (unsold >= LARGEST_UNSOLD && !this.#of(colour)) return 0.2 - this.#price(city);
    const pair = this.#of(colour) ? 1 + barrels : 0.6 * barrels;
    return 1 + pair - 0.7 * this.#price(city);
  }

  /** A first booth in a city counts at the end, lets us sell there, and the most of them make buying free. */
  #build(good: string, city: string): number {
    if (!this.#me?.booths) return -1;
    const { barrels, colour } = split(good);
    const [own, others] = [this.#booths(city), this.#mostOfOthers(city)];
    let gain = 0.5;
    if (own === 0) gain += others === 0 ? 4 : 2;
    else if (own <= others && others < own + barrels) gain += 1.5;
    return gain - 1 - (this.#of(colour) >= 2 ? barrels : 0.5 * barrels);
  }

  /** The best that could be done in a city. */
  #visit(city: string): number {
    const sale = this.#booths(city) > 0 ? this.#sale() : 0;
    const canPay = this.#price(city) < (this.#me?.talers ?? 0); // sailing there costs a taler
    const goods = canPay ? (this.#cities.get(city)?.warehouses ?? []).filter(Boolean) : [];
    return Math.max(
      sale,
      ...goods.map((good) => this.#buy(good, city)),
      ...this.#unsold.map(({ good }) => this.#build(good, city)),
    );
  }

  /** Selling every colour of which there are two or more. */
  #sale(): number {
    return this.#unsold
      .filter(({ good }) => this.#of(split(good).colour) >= 2)
      .reduce((worth, { count, good }) => worth + count * (1 + split(good).barrels), 0);
  }

  /** How much a good is worth to keep. */
  #keep(good: string): number {
    const { barrels, colour } = split(good);
    return 1 + barrels * (this.#of(colour) >= 2 ? 1 : 0.4);
  }
}

/** The colour and the barrels of a good such as "orange 2". */
function split(good: string): { colour: string; barrels: number } {
  const [colour = "", barrels] = good.split(" ");
  return { colour, barrels: Number(barrels) };
}
