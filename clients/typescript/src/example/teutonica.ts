import type { Action, TeutonicaView } from "../index.js";
import type { Taste } from "./sensible.js";

/** Worth of the next space of an ability, before what is developed already. */
const ABILITIES: Record<string, number> = { actions: 12, privilege: 6, book: 4, bank: 5, keys: 6 };
/** Worth of a marker; of others 3. */
const MARKERS: Record<string, number> = { additional_post: 3, swap_posts: 2, actions_3: 4, actions_4: 5, develop_ability: 4 };
const ENDS_OF_ROUTE = ["none", "office", "develop", "extra", "prestige"];

/** How many pieces stand where, by route. */
class Count extends Map<string, number> {
  override get(route: string): number {
    return super.get(route) ?? 0;
  }

  add(route: string): void {
    this.set(route, this.get(route) + 1);
  }
}

/**
 * What a seat likes in Hansa Teutonica.
 *
 * The board is not known, but what a decision needs of it is in the view and in the texts of the legal actions: free posts are those
 * where a piece could be placed.
 */
export class TeutonicaTaste implements Taste {
  readonly #mine = new Count();
  readonly #theirs = new Count();
  readonly #free = new Count();
  readonly #markers: Map<string, string>; // kinds by route
  readonly #developed: Map<string, number>;
  readonly #pieces: number; // in supply

  constructor(view: TeutonicaView, seat: number, legal: readonly Action[]) {
    const me = view.players[seat];
    this.#pieces = (me?.supply?.traders ?? 0) + (me?.supply?.merchants ?? 0);
    this.#developed = new Map(me?.abilities.map(({ ability, developed }) => [ability, developed]));
    this.#markers = new Map(view.markers.map(({ kind, route }) => [route, kind]));
    const taken = new Set<string>();
    for (const { piece, post } of view.posts) {
      taken.add(post);
      (piece?.seat === seat ? this.#mine : this.#theirs).add(routeOf(post));
    }
    for (const { text } of legal) {
      const [verb = "", ...words] = text.split(" ");
      const post = postOf(verb, words);
      if (post && !taken.has(post)) {
        taken.add(post); // a trader and a merchant may go to the same post
        this.#free.add(routeOf(post));
      }
    }
  }

  value(verb: string, ...words: string[]): number {
    const merchant = words[0] === "merchant" ? 1 : 0; // merchants are dear
    switch (verb) {
      case "route":
        return 200 + this.#establish(words);
      case "use":
        return this.#use(words);
      case "place":
      case "answer":
      case "place-two":
        return 60 + this.#stand(postOf(verb, words)) - 2 * merchant;
      case "to":
      case "set":
        return 60 + this.#stand(postOf(verb, words));
      case "displace":
        return this.#displace(words.slice(1).join(" ")) - 2 * merchant;
      case "income":
        return this.#pieces <= 1 ? 90 + sum(words) : 5;
      case "pay":
        return -sum(words) - 2 * words.filter((word) => word.startsWith("merchant")).length;
      case "favour-income":
        return 1 + merchant;
      case "develop-privilege":
      case "green-office":
        return 10;
      case "lift": // pieces that stand alone before others; those of opponents off our routes
        return -this.#mine.get(routeOf(words.join(" ")));
      case "remove":
        return this.#mine.get(routeOf(words.join(" "))) === 0 ? 1 : -1;
      case "on":
        return -Math.abs(this.#mine.get(words.join(" ")) - 1);
      case "pawn":
        return words.at(-1) === "action" ? -10 : 3;
      case "move": // with nothing left to place, pieces that stand about are brought together
        return this.#pieces === 0 && this.#mine.size > 1 ? 8 : -5;
      case "favour":
        return -5;
      default: // end, finish, stop, decline, skip, flip, put-marker
        return 0;
    }
  }

  /** A finished route: the marker on it, and what is done with it. */
  #establish(words: string[]): number {
    const at = words.findIndex((word) => ENDS_OF_ROUTE.includes(word)); // a route may hold spaces
    const [kind, ...rest] = words.slice(at);
    const marker = this.#markers.get(words.slice(0, at).join(" "));
    const worth = marker === undefined ? 0 : (MARKERS[marker] ?? 3);
    switch (kind) {
      case "develop":
        return worth + this.#develop(rest[0]);
      case "office":
        return worth + 9;
      case "extra":
        return worth + 7;
      case "prestige":
        return worth + 8 + sum(rest);
      default:
        return worth;
    }
  }

  #develop(ability = ""): number {
    return (ABILITIES[ability] ?? 0) - (this.#developed.get(ability) ?? 0);
  }

  /** A piece on a post: the nearer its route is to being ours, the better. Long routes need many turns. */
  #stand(post: string): number {
    const route = routeOf(post);
    const marker = this.#markers.has(route) ? 2 : 0;
    return 6 * this.#mine.get(route) - 4 * this.#theirs.get(route) - 2 * this.#free.get(route) + marker;
  }

  /** Worth its fee only to finish a route. */
  #displace(post: string): number {
    const route = routeOf(post);
    const isLast = this.#mine.get(route) >= 2 && this.#theirs.get(route) === 1 && this.#free.get(route) === 0;
    return isLast && this.#pieces >= 3 ? 85 : -10;
  }

  /** Markers are for using: more actions at once, abilities as soon as possible. */
  #use([marker, ability]: string[]): number {
    if (marker === "develop_ability") return 98 + this.#develop(ability);
    if ((marker === "actions_3" || marker === "actions_4") && this.#pieces >= 3) return 98;
    return -5; // swapping offices and moving pieces without a plan does as much harm as good
  }
}

/** The route of a post: "Kampen-Osnabrück 2" belongs to "Kampen-Osnabrück". */
function routeOf(post: string): string {
  return post.slice(0, Math.max(0, post.lastIndexOf(" ")));
}

/** The post an action would put a piece on; empty for other actions. */
function postOf(verb: string, words: string[]): string {
  if (verb === "place" || verb === "answer" || verb === "place-two") return words.slice(1).join(" "); // after the shape
  return verb === "set" || verb === "to" ? words.join(" ") : "";
}

/** How many pieces or points a text such as "2 traders 1 merchant" names. */
function sum(words: string[]): number {
  return words.reduce((total, word) => total + (Number(word) || 0), 0);
}
