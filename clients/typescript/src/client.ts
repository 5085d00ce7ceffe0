import { setTimeout as sleep } from "node:timers/promises";

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";

import { RefusedError, ReplacedError } from "./errors.js";
import { ForfeitReason } from "./gen/hansa/v1/game_pb.js";
import {
  AnswerProblem,
  type AnswerRejected,
  type DecisionRequest,
  EventDelivery,
  type MatchEnded,
  type MatchEvents,
  type MatchStarted,
  type PlayRequest,
  PlayRequestSchema,
  type PlayResponse,
  PlayService,
  ViewFormat,
  type Welcome,
} from "./gen/hansa/v1/play_pb.js";
import { type Answers, type Choice, Decision, Match, milliseconds } from "./match.js";
import { type Options, type Settings, settingsFrom } from "./options.js";
import { Queue } from "./queue.js";

const FIRST_DELAY = 200; // milliseconds before the first attempt to connect again, doubled with each further one
const LONGEST_DELAY = 5_000;
const STEADY = 1_000; // after which a stream counts as a success, and delays begin anew
const KEEPALIVE = 30_000; // between pings, unless the server wants them further apart
const LARGEST_MESSAGE = 64 * 2 ** 20; // the history of a long match, with texts
const MOST_COMMENT = 280; // characters

/** Ends of a stream after which trying again would not help. */
const HOPELESS = new Map([
  [Code.InvalidArgument, "the server does not accept this bot"],
  [Code.Unauthenticated, "the server does not accept the token"],
  [Code.PermissionDenied, "the token is not one of a bot"],
  [Code.Unimplemented, "this is no Hansa server"],
]);

/** How a bot introduces itself. */
export interface Profile {
  /** 1 to 64 letters, digits, and any of "._-"; with a token, the token's name counts. */
  readonly name: string;
  /** For records and ratings. */
  readonly version?: string;
  /** Games it plays, such as "hansa"; all, if left out. */
  readonly games?: readonly string[];
  /** Matches at once; 16 if left out. */
  readonly maxMatches?: number;
  /** Wants neither positions nor texts: less is sent. */
  readonly idsOnly?: boolean;
  /** Wants to hear at once what the others play, not only with its next decision. */
  readonly listens?: boolean;
}

/**
 * One stream to the server. Answers know their stream, so that nothing is answered twice on one, and what the last one may have lost
 * is sent again on the next.
 */
class Stream {
  readonly outbox = new Queue<PlayRequest>();
  readonly abort = new AbortController();
  welcomed = false;
  rate = 0; // messages a second the server takes; 0: not said

  /** What is in the outbox, no faster than the server takes it. */
  async *requests(): AsyncGenerator<PlayRequest> {
    let free = performance.now(); // when the next message may go
    for await (const message of this.outbox) {
      if (this.rate > 0) {
        const now = performance.now();
        free = Math.max(free, now - 500) + 1000 / this.rate; // half a second's worth may go at once
        if (free > now) await sleep(free - now);
      }
      yield message;
    }
  }
}

/** A match with its newest decision. */
interface Seated {
  readonly match: Match;
  sequence: number;
  decision: Decision | undefined;
  asked: Stream | undefined; // that asked last
  answer: PlayRequest | undefined;
  sent: Stream | undefined; // that got the answer
  readonly tried: Set<number>; // ids that were answered
}

/**
 * Connects a bot to a server and keeps it there: one stream for all matches, opened again whenever it breaks.
 *
 * `for await (const match of client)` connects and yields matches as they begin, until `leave` and the end of the last match. It throws
 * a `RefusedError` or a `ReplacedError` when the server does not want this bot. Breaking out of the loop ends at once; the matches then
 * wait on the server as long as the clock allows.
 */
export class Client implements AsyncIterable<Match>, Answers {
  readonly #profile: Profile;
  readonly #settings: Settings;
  readonly #seated = new Map<string, Seated>();
  readonly #matches = new Queue<Match>();
  readonly #stopped = new AbortController();
  #stream: Stream | undefined;
  #keepalive = KEEPALIVE;
  #channel: { readonly transport: Transport; readonly pingIntervalMs: number } | undefined;
  #leaving = false;
  #wake = (): void => {};
  #unheard = new Set<string>(); // matches the server has not named since the last reconnection
  #toName = 0; // seats it will still name

  constructor(profile: Profile, options: Options = {}) {
    this.#profile = profile;
    this.#settings = settingsFrom(options);
  }

  /** How many matches the bot plays. */
  get runningMatches(): number {
    return this.#seated.size;
  }

  /** Takes no new matches, finishes those that run, then ends. */
  leave(): void {
    if (this.#leaving) return;
    this.#leaving = true;
    // Without a welcome a hello is on its way and may bring a match: the goodbye follows the welcome.
    if (this.#stream?.welcomed) this.#stream.outbox.push(request({ case: "goodbye", value: {} }));
    this.#wake();
  }

  /** Ends at once. */
  stop(): void {
    this.#stopped.abort();
    this.#stream?.abort.abort();
    this.#wake();
    for (const { match, decision } of this.#seated.values()) {
      decision?.settle();
      match.events.close();
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Match> {
    const running = this.#run().then(
      () => this.#matches.close(),
      (error: unknown) => this.#matches.close(error),
    );
    try {
      yield* this.#matches;
    } finally {
      this.stop();
      await running;
    }
  }

  // -- Connecting ---------------------------------------------------------------------------------------------------------------

  async #run(): Promise<void> {
    const { log, server } = this.#settings;
    for (let attempt = 0; !this.#stopped.signal.aborted; attempt++) {
      const began = performance.now();
      const problem = await this.#play();
      if (this.#stopped.signal.aborted || this.#isDone()) return;
      this.#judge(problem);
      if (performance.now() - began > STEADY) attempt = 0;
      const delay = backoff(attempt);
      log.warn(`no connection to ${server}: ${problem.message}; next attempt in ${(delay / 1000).toFixed(1)} s`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, delay);
        this.#wake = () => (clearTimeout(timer), resolve());
      });
      if (this.#isDone()) return;
    }
  }

  #isDone(): boolean {
    return this.#leaving && this.#seated.size === 0;
  }

  /** Throws what cannot be helped about the end of a stream. */
  #judge(problem: ConnectError): void {
    if (!problem.metadata.has("grpc-status")) return; // the network's word, not the server's
    if (problem.code === Code.Aborted) {
      throw new ReplacedError(`another process plays as this bot now: ${problem.rawMessage}`);
    }
    const why = HOPELESS.get(problem.code);
    if (why) {
      const hint =
        problem.code === Code.Unauthenticated && !this.#settings.token ? "; give it with --token-file or HANSA_TOKEN" : "";
      throw new RefusedError(`${this.#settings.server}: ${why}: ${problem.rawMessage}${hint}`);
    }
  }

  /** Opens a stream, plays on it, and says why it ended. */
  async #play(): Promise<ConnectError> {
    const stream = new Stream();
    this.#stream = stream;
    stream.outbox.push(this.#hello());
    try {
      const { token } = this.#settings;
      const responses = createClient(PlayService, this.#transport()).play(stream.requests(), {
        signal: stream.abort.signal,
        ...(token && { headers: { authorization: `Bearer ${token}` } }),
      });
      for await (const response of responses) this.#take(response, stream);
      return new ConnectError("the stream was closed", Code.Unavailable);
    } catch (error) {
      return ConnectError.from(error);
    } finally {
      this.#stream = undefined;
      stream.outbox.close();
    }
  }

  /** The way to the server. It connects when a stream is opened, without delays of its own, and keeps no program from ending. */
  #transport(): Transport {
    const { ca, cert, key, server, tls } = this.#settings;
    const pingIntervalMs = this.#keepalive;
    if (this.#channel?.pingIntervalMs !== pingIntervalMs) {
      const transport = createGrpcTransport({
        baseUrl: `${tls ? "https" : "http"}://${server}`,
        pingIntervalMs,
        pingTimeoutMs: 10_000,
        readMaxBytes: LARGEST_MESSAGE,
        nodeOptions: tls ? { ...(ca && { ca }), ...(cert && key && { cert, key }) } : {},
      });
      this.#channel = { transport, pingIntervalMs };
    }
    return this.#channel.transport;
  }

  #hello(): PlayRequest {
    const { games = [], idsOnly = false, listens = false, maxMatches = 16, name, version = "" } = this.#profile;
    const settings = this.#settings;
    return request({
      case: "hello",
      value: {
        name: settings.name || (settings.token ? "" : name), // with a token the token's name counts
        version,
        games: [...games],
        maxMatches: settings.maxMatches || maxMatches,
        viewFormat: idsOnly ? ViewFormat.UNSPECIFIED : ViewFormat.MESSAGE,
        texts: !idsOnly,
        eventDelivery: listens ? EventDelivery.UNSPECIFIED : EventDelivery.WITH_DECISIONS,
      },
    });
  }

  // -- Messages -----------------------------------------------------------------------------------------------------------------

  /** A message came. What a newer server may say beyond what is known here is passed over. */
  #take({ message }: PlayResponse, stream: Stream): void {
    switch (message.case) {
      case "welcome":
        return this.#welcome(message.value, stream);
      case "notice":
        return this.#settings.log.warn(`the server says: ${message.value.text}`);
      case "matchStarted":
        return this.#start(message.value);
      case "decisionRequest":
        return this.#ask(message.value, stream);
      case "matchEvents":
        return this.#hear(message.value);
      case "answerRejected":
        return this.#tryAgain(message.value);
      case "matchEnded":
        return this.#end(message.value);
      case undefined:
        return;
    }
  }

  #welcome(welcome: Welcome, stream: Stream): void {
    stream.rate = welcome.maxMessagesPerSecond;
    if (welcome.minKeepalive) this.#keepalive = Math.max(KEEPALIVE, 1.5 * milliseconds(welcome.minKeepalive));
    this.#settings.log.info(`connected to ${this.#settings.server} as ${welcome.name}`);
    this.#unheard = new Set(this.#seated.keys());
    this.#toName = welcome.openSeats;
    this.#forgetUnheard();
    if (this.#leaving && !stream.welcomed) stream.outbox.push(request({ case: "goodbye", value: {} }));
    stream.welcomed = true;
  }

  /** The match of this id, which is set up if there is none yet. */
  #seat(id: string): Seated {
    const known = this.#seated.get(id);
    if (known) return known;
    const seated: Seated = {
      match: new Match(id),
      sequence: -1,
      decision: undefined,
      asked: undefined,
      answer: undefined,
      sent: undefined,
      tried: new Set(),
    };
    this.#seated.set(id, seated);
    return seated;
  }

  #start(message: MatchStarted): void {
    const isKnown = this.#seated.has(message.matchId);
    const { match } = this.#seat(message.matchId);
    if (match.sit(message)) {
      const names = message.players.map((name) => name || "?").join(", ");
      this.#settings.log.info(`match ${match.id}: ${message.rules?.game ?? ""}, seat ${message.seat} of ${names}`);
    } else {
      this.#settings.log.info(`match ${match.id} goes on after ${message.history.length} actions`);
    }
    if (isKnown) {
      match.takeUp(message.history);
    } else {
      match.history.push(...message.history);
      this.#matches.push(match);
    }
    this.#unheard.delete(match.id);
    this.#toName--;
    this.#forgetUnheard();
  }

  #hear(message: MatchEvents): void {
    const match = this.#seated.get(message.matchId)?.match;
    if (!match) return this.#passOver(message.matchId);
    for (const forfeit of message.forfeits) {
      match.forfeits.set(forfeit.seat, forfeit.reason);
      if (match.seats.has(forfeit.seat)) {
        const reason = ForfeitReason[forfeit.reason] ?? forfeit.reason;
        this.#settings.log.error(`match ${match.id}: seat ${forfeit.seat} is forfeited: ${reason}`);
      }
      match.events.push({ kind: "forfeited", forfeit });
    }
    match.takeUp(message.actions);
  }

  /** Hands a decision to the bot, unless its answer is known already or comes as soon as it is. */
  #ask(asked: DecisionRequest, stream: Stream): void {
    const isKnown = this.#seated.has(asked.matchId);
    const seated = this.#seat(asked.matchId);
    if (!isKnown) this.#matches.push(seated.match);
    if (asked.sequence > seated.sequence) {
      seated.decision?.settle();
      seated.match.takeUp(asked.events);
      const decision = new Decision(this, seated.match, asked, performance.now());
      seated.sequence = asked.sequence;
      seated.decision = decision;
      seated.asked = stream;
      seated.answer = undefined;
      seated.sent = undefined;
      seated.tried.clear();
      seated.match.events.push(decision);
    } else if (asked.sequence === seated.sequence) {
      seated.asked = stream;
      this.#send(seated);
    }
  }

  /** An answer was refused. It was checked before it was sent, so the server knows better: take another one. */
  #tryAgain(message: AnswerRejected): void {
    const { log } = this.#settings;
    const seated = this.#seated.get(message.matchId);
    const where = `match ${message.matchId}, decision ${message.sequence}`;
    const isOpen = message.problem === AnswerProblem.ILLEGAL_ACTION || message.problem === AnswerProblem.MALFORMED;
    if (!seated?.decision || message.sequence !== seated.sequence || !isOpen) {
      return log.info(`${where}: answer not taken: ${message.explanation}`);
    }
    log.error(`${where}: answer refused: ${message.explanation}`);
    const other = anyOf(seated.decision.legal.filter((action) => !seated.tried.has(action.id)));
    if (other) {
      seated.sent = undefined; // the decision is still open on this stream
      this.answer(seated.decision, { action: other.id });
    }
  }

  #end(message: MatchEnded): void {
    const seated = this.#seated.get(message.matchId);
    if (!seated) return this.#passOver(message.matchId);
    const { decision, match } = seated;
    this.#seated.delete(match.id);
    this.#unheard.delete(match.id);
    decision?.settle();
    match.isOver = true;
    match.result = message.result;
    const mine = message.result?.seats[match.seat];
    const how = mine ? `is over: seat ${match.seat}, ${mine.total} points, place ${mine.rank}` : "is over";
    this.#settings.log.info(`match ${match.id} ${message.result ? how : "ended while the bot was away"}`);
    match.events.close();
  }

  #passOver(id: string): void {
    this.#settings.log.info(`passing over a message about match ${id}, which this bot does not play`);
  }

  /** Once the server has named all open matches, those it does not know any more ended while the bot was away. */
  #forgetUnheard(): void {
    if (this.#toName > 0) return;
    for (const matchId of this.#unheard) this.#end({ $typeName: "hansa.v1.MatchEnded", matchId });
  }

  // -- Answers ------------------------------------------------------------------------------------------------------------------

  /** Answers a decision; `decision.answer` is the way to call it. */
  answer(decision: Decision, choice: Choice): void {
    const { match, sequence } = decision;
    const { action, comment = "", evaluation = [] } = choice;
    this.#seated.get(match.id)?.tried.add(action);
    this.#reply(
      decision,
      request({
        case: "answer",
        value: {
          matchId: match.id,
          sequence,
          choice: { case: "action", value: action },
          evaluation: [...evaluation],
          comment: comment && [...comment].slice(0, MOST_COMMENT).join(""),
        },
      }),
    );
  }

  /** Gives a match up; `decision.resign` is the way to call it. */
  resign(decision: Decision): void {
    this.#reply(decision, request({ case: "resign", value: { matchId: decision.match.id } }));
  }

  /** Keeps an answer and sends it, unless it took too long: the match is over or has gone on. */
  #reply(decision: Decision, answer: PlayRequest): void {
    const seated = this.#seated.get(decision.match.id);
    if (seated?.decision !== decision) return;
    seated.answer = answer;
    this.#send(seated);
  }

  /** Sends an answer, if this stream asked for it and has not got it yet. */
  #send(seated: Seated): void {
    const stream = this.#stream;
    if (seated.answer && stream && seated.sent !== stream && seated.asked === stream) {
      seated.sent = stream;
      stream.outbox.push(seated.answer);
    }
  }
}

function request(message: MessageInitShape<typeof PlayRequestSchema>["message"] & object): PlayRequest {
  return create(PlayRequestSchema, { message });
}

/** The delay before an attempt in milliseconds, drawn so that not all bots of a server come back in the same moment. */
export function backoff(attempt: number): number {
  const longest = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** Math.min(attempt, 10));
  return longest * (0.5 + Math.random() / 2);
}

/** Any of some things; undefined if there are none. */
export function anyOf<T>(things: readonly T[]): T | undefined {
  return things[Math.floor(Math.random() * things.length)];
}
