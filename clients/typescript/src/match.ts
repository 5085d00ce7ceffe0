import type { Duration } from "@bufbuild/protobuf/wkt";

import { ChoiceError } from "./errors.js";
import type { ClockRules, ClockState } from "./gen/hansa/v1/clock_pb.js";
import type { ForfeitReason, PlayedAction, Result, Rules } from "./gen/hansa/v1/game_pb.js";
import type { DecisionRequest, MatchStarted, SeatForfeited } from "./gen/hansa/v1/play_pb.js";
import type { View } from "./gen/hansa/v1/view_pb.js";
import { Queue } from "./queue.js";

/** A legal action: its id and what it means in words. */
export interface Action {
  readonly id: number;
  readonly text: string;
}

/** A decision of a bot, with something for spectators if it likes. */
export interface Choice {
  /** The id of a legal action. */
  readonly action: number;
  /** What each seat is expected to score, by seat. */
  readonly evaluation?: readonly number[];
  /** A remark; at most 280 characters are kept. */
  readonly comment?: string;
}

/** Where answers go: the client. */
export interface Answers {
  answer(decision: Decision, choice: Choice): void;
  resign(decision: Decision): void;
}

/** Something to decide. Answer it with `answer` or `resign`. */
export class Decision {
  readonly kind = "decision";
  readonly match: Match;
  /** The seat that decides: one of the bot's, which may have several in a match. */
  readonly seat: number;
  /** How many actions were played before. */
  readonly sequence: number;
  /** What is being decided. */
  readonly phase: string;
  /** All legal actions, by id; at least two. */
  readonly legal: readonly Action[];
  /** The position as this seat sees it; not there with `idsOnly`. */
  readonly view: View | undefined;
  /** What was left when the bot was asked. */
  readonly clock: ClockState | undefined;
  readonly #answers: Answers;
  readonly #received: number;
  #abort: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #over = false;

  constructor(answers: Answers, match: Match, request: DecisionRequest, received: number) {
    this.#answers = answers;
    this.#received = received;
    this.match = match;
    this.seat = request.seat;
    this.sequence = request.sequence;
    this.phase = request.phase;
    this.legal = request.legalActions.map((id, index) => ({ id, text: request.legalTexts[index] ?? "" }));
    this.view = request.position.case === "view" ? request.position.value : undefined;
    this.clock = request.clock;
  }

  /** Milliseconds left for this decision; infinite without a limit. */
  get msLeft(): number {
    const decision = this.clock?.decision;
    return decision ? Math.max(0, milliseconds(decision) - (performance.now() - this.#received)) : Infinity;
  }

  /** Aborted when the clock has run out, and when nobody waits for the answer any more. */
  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController();
      if (this.#over) this.#abort.abort();
      else if (Number.isFinite(this.msLeft)) this.#timer = setTimeout(() => this.settle(), this.msLeft).unref();
    }
    return this.#abort.signal;
  }

  /** Answers with a legal action. Throws a `ChoiceError` if it is none. */
  answer(choice: Choice | Action | number): void {
    const full = typeof choice === "number" ? { action: choice } : "id" in choice ? { action: choice.id } : choice;
    if (!this.legal.some((action) => action.id === full.action)) {
      throw new ChoiceError(`${full.action} is none of the ${this.legal.length} legal actions`);
    }
    clearTimeout(this.#timer);
    this.#answers.answer(this, full);
  }

  /** Gives the match up. */
  resign(): void {
    clearTimeout(this.#timer);
    this.#answers.resign(this);
  }

  /** Nobody waits for the answer any more. The client calls it. */
  settle(): void {
    this.#over = true;
    clearTimeout(this.#timer);
    this.#abort?.abort();
  }
}

/** Actions were played, the bot's own included. */
export interface ActionsPlayed {
  readonly kind: "played";
  readonly actions: readonly PlayedAction[];
}

/** A seat was given up. */
export interface Forfeited {
  readonly kind: "forfeited";
  readonly forfeit: SeatForfeited;
}

/** What happens in a match. */
export type MatchEvent = Decision | ActionsPlayed | Forfeited;

/** A match that the bot plays: `for await (const event of match)` goes through it to its end. */
export class Match implements AsyncIterable<MatchEvent> {
  /** Where the bot sits, from 0. */
  seat = 0;
  /** All its seats, if it plays against itself. */
  readonly seats = new Set<number>();
  /** The options, all filled in. */
  rules: Rules | undefined;
  /** Names by seat; empty names when the opponents are kept secret. */
  players: readonly string[] = [];
  /** How time is counted. */
  clock: ClockRules | undefined;
  /** Everything played so far. */
  readonly history: PlayedAction[] = [];
  /** Seats given up, and why. */
  readonly forfeits = new Map<number, ForfeitReason>();
  /** Whether it has come to its end; otherwise the client was stopped. */
  isOver = false;
  /** How it came out, after its end; not there if it ended while the bot was not connected. */
  result: Result | undefined;
  /** What happens next. The client writes it. */
  readonly events = new Queue<MatchEvent>();

  constructor(readonly id: string) {}

  /** Takes a seat; false if it was taken before. */
  sit(message: MatchStarted): boolean {
    if (this.seats.has(message.seat)) return false;
    if (this.seats.size === 0) this.seat = message.seat;
    this.seats.add(message.seat);
    this.rules = message.rules;
    this.players = message.players;
    this.clock = message.clock;
    return true;
  }

  /** Adds actions to the history and tells those that were not there before. */
  takeUp(actions: readonly PlayedAction[]): void {
    const news = actions.filter((action) => action.sequence >= this.history.length);
    if (news.length === 0) return;
    this.history.push(...news);
    this.events.push({ kind: "played", actions: news });
  }

  [Symbol.asyncIterator](): AsyncIterator<MatchEvent> {
    return this.events;
  }
}

/** A duration of the wire in milliseconds. */
export function milliseconds(duration: Duration): number {
  return Number(duration.seconds) * 1000 + duration.nanos / 1e6;
}
