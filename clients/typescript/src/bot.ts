import { parseArgs } from "node:util";

import { anyOf, Client, type Profile } from "./client.js";
import { ClientError, OptionError } from "./errors.js";
import type { PlayedAction, Result } from "./gen/hansa/v1/game_pb.js";
import type { Action, Choice, Decision, Match } from "./match.js";
import type { Options } from "./options.js";

/** A bot: write `choose`, everything else has a default. */
export interface Bot extends Profile {
  /** Decides: one of the legal actions, its id, or a `Choice` with something for spectators. `undefined` gives the match up. */
  choose(decision: Decision): Chosen | Promise<Chosen>;
  /** A match begins; its history is not empty if the bot comes into a running one. */
  matchStarted?(match: Match): void | Promise<void>;
  /** Actions were played, the bot's own included. With this method the bot hears at once; `match.history` has them anyway. */
  actionsPlayed?(match: Match, actions: readonly PlayedAction[]): void | Promise<void>;
  /** A match is over. The result is not there if it ended while the bot was not connected. */
  matchEnded?(match: Match, result: Result | undefined): void | Promise<void>;
}

/** What `choose` returns. */
export type Chosen = Action | Choice | number | undefined;

/** A client for a bot, and the promise that it has played until `client.leave()` or `client.stop()`. */
export function play(bot: Bot, options: Options = {}): { client: Client; done: Promise<void> } {
  const client = new Client({ ...profileOf(bot), listens: bot.listens ?? bot.actionsPlayed !== undefined }, options);
  const report = (text: string): void => (options.log ? options.log.error(text) : console.error(text));
  return { client, done: playAll(bot, client, report) };
}

function profileOf({ games, idsOnly, maxMatches, name, version }: Bot): Profile {
  return {
    name,
    ...(version !== undefined && { version }),
    ...(games && { games }),
    ...(maxMatches !== undefined && { maxMatches }),
    ...(idsOnly !== undefined && { idsOnly }),
  };
}

async function playAll(bot: Bot, client: Client, report: (text: string) => void): Promise<void> {
  const running = new Set<Promise<void>>();
  for await (const match of client) {
    const playing = playMatch(bot, match, report).finally(() => running.delete(playing));
    running.add(playing);
  }
  await Promise.all(running);
}

/** Plays a match to its end. What the bot does wrong is told and ends here: no other match hears of it. */
async function playMatch(bot: Bot, match: Match, report: (text: string) => void): Promise<void> {
  const attempt = async (what: string, hook: () => unknown): Promise<void> => {
    try {
      await hook();
    } catch (error) {
      report(`match ${match.id}: ${what} failed: ${told(error)}`);
    }
  };
  await attempt("matchStarted", () => bot.matchStarted?.(match));
  for await (const event of match) {
    if (event.kind === "played") await attempt("actionsPlayed", () => bot.actionsPlayed?.(match, event.actions));
    else if (event.kind === "decision") await decide(bot, event, report);
  }
  if (match.isOver) await attempt("matchEnded", () => bot.matchEnded?.(match, match.result));
}

async function decide(bot: Bot, decision: Decision, report: (text: string) => void): Promise<void> {
  try {
    const chosen = await bot.choose(decision);
    if (chosen === undefined) decision.resign();
    else decision.answer(chosen);
  } catch (error) {
    const other = anyOf(decision.legal);
    const where = `match ${decision.match.id}, decision ${decision.sequence} (${decision.phase})`;
    report(`${where}: choose failed, playing ${other?.text || other?.id} instead: ${told(error)}`);
    if (other) decision.answer(other);
  }
}

function told(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

const FLAGS = {
  server: { type: "string" },
  "token-file": { type: "string" },
  name: { type: "string" },
  "max-matches": { type: "string" },
  tls: { type: "boolean" },
  "tls-ca": { type: "string" },
  "tls-cert": { type: "string" },
  "tls-key": { type: "string" },
  bot: { type: "string" },
  help: { type: "boolean" },
} as const;

const HELP = `A bot for the Hansa board games.

  --server HOST:PORT  where to play; HANSA_SERVER, or 127.0.0.1:7717
  --token-file FILE   a file that holds the bot's token; or set HANSA_TOKEN
  --name NAME         play under this name
  --max-matches N     matches at once
  --tls               encrypt, with the usual certificates
  --tls-ca FILE       encrypt; the server's certificate is signed by this one
  --tls-cert FILE     the bot's own certificate, for mutual TLS
  --tls-key FILE      its key
`;

/** The options of a command line. Throws an `OptionError`. */
export function optionsFromArguments(args: string[]): Options & { bot?: string | undefined; help?: boolean | undefined } {
  try {
    const { values } = parseArgs({ args, options: FLAGS });
    return {
      server: values.server,
      tokenFile: values["token-file"],
      name: values.name,
      maxMatches: values["max-matches"] === undefined ? undefined : Number(values["max-matches"]),
      tls: values.tls,
      tlsCa: values["tls-ca"],
      tlsCert: values["tls-cert"],
      tlsKey: values["tls-key"],
      bot: values.bot,
      help: values.help,
    };
  } catch (error) {
    throw new OptionError(error instanceof Error ? error.message : String(error));
  }
}

/**
 * The main function of a program with one bot, or with several that `--bot` chooses from; the first one is the usual one.
 *
 * Plays until Ctrl-C. The first one (or SIGTERM) says goodbye: no new matches, those that run are played to their end. The second one
 * ends at once.
 */
export async function run(...bots: readonly [Bot, ...Bot[]]): Promise<void> {
  try {
    const { bot: wanted, help, ...options } = optionsFromArguments(process.argv.slice(2));
    const names = bots.map((bot) => bot.name.replace(/^.*-/, ""));
    if (help) {
      process.stdout.write(HELP + (bots.length > 1 ? `  --bot NAME          one of ${names.join(", ")}\n` : ""));
      return;
    }
    const bot = wanted === undefined ? bots[0] : bots[names.indexOf(wanted)];
    if (!bot) throw new OptionError(`--bot must be one of ${names.join(", ")}, not "${wanted}"`);
    const { client, done } = play(bot, options);
    let signals = 0;
    const signalled = (): void => {
      if (signals++ > 0) return client.stop();
      console.error(`goodbye: ${client.runningMatches} matches to finish; once more to end at once`);
      client.leave();
    };
    process.on("SIGINT", signalled).on("SIGTERM", signalled);
    await done.finally(() => process.off("SIGINT", signalled).off("SIGTERM", signalled));
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    console.error(error.message);
    process.exitCode = error instanceof OptionError ? 2 : 1;
  }
}
