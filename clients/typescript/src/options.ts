import { readFileSync } from "node:fs";
import { BlockList, isIP } from "node:net";

import { OptionError } from "./errors.js";

/** How to reach the server, and how to play. What is left out comes from the environment, or is the usual. */
export interface Options {
  /** HOST:PORT; HANSA_SERVER, or 127.0.0.1:7717. */
  readonly server?: string | undefined;
  /** The bot's token; HANSA_TOKEN. */
  readonly token?: string | undefined;
  /** A file that holds the token. */
  readonly tokenFile?: string | undefined;
  /** Play under this name instead of the bot's own. */
  readonly name?: string | undefined;
  /** Matches at once, instead of the bot's own number. */
  readonly maxMatches?: number | undefined;
  /** Use TLS with the certificates Node trusts. */
  readonly tls?: boolean | undefined;
  /** PEM file of the authority that signed the server's certificate; turns TLS on. */
  readonly tlsCa?: string | undefined;
  /** PEM file of the bot's own certificate, for mutual TLS. */
  readonly tlsCert?: string | undefined;
  /** PEM file of its key. */
  readonly tlsKey?: string | undefined;
  /** Where to write what happens; standard error unless set. */
  readonly log?: Log | undefined;
}

/** Where a client writes what happens. */
export interface Log {
  info(text: string): void;
  warn(text: string): void;
  error(text: string): void;
}

/** Options that are checked and filled in. */
export interface Settings {
  readonly server: string;
  readonly token: string;
  readonly name: string;
  readonly maxMatches: number;
  readonly tls: boolean;
  readonly ca: Buffer | undefined;
  readonly cert: Buffer | undefined;
  readonly key: Buffer | undefined;
  readonly log: Log;
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Checks options and fills in what the environment says. Throws an `OptionError`. */
export function settingsFrom(options: Options, environment: NodeJS.ProcessEnv = process.env): Settings {
  const server = options.server || environment["HANSA_SERVER"] || "127.0.0.1:7717";
  const parts = /^(?:\[(?<six>[0-9a-fA-F:.]+)\]|(?<host>[^:[\]/]+)):(?<port>\d+)$/.exec(server)?.groups;
  if (!parts) throw new OptionError(`--server must be HOST:PORT, not "${server}"`);
  const host = parts["six"] ?? parts["host"] ?? "";
  const maxMatches = options.maxMatches ?? 0;
  if (!Number.isInteger(maxMatches) || maxMatches < 0) {
    throw new OptionError(`--max-matches must be a number from 1, not ${maxMatches}`);
  }
  if (Boolean(options.tlsCert) !== Boolean(options.tlsKey)) throw new OptionError("--tls-cert and --tls-key come together");
  const token = options.tokenFile ? readToken(options.tokenFile) : options.token || environment["HANSA_TOKEN"] || "";
  const tls = Boolean(options.tls || options.tlsCa || options.tlsCert);
  if (token && !tls && !isLoopback(host)) {
    throw new OptionError(`a token must not travel in the open to ${host}: use --tls or --tls-ca`);
  }
  const [ca, cert, key] = [options.tlsCa, options.tlsCert, options.tlsKey].map((path) => (path ? read(path) : undefined));
  return { server, token, name: options.name ?? "", maxMatches, tls, ca, cert, key, log: options.log ?? standardError };
}

function isLoopback(host: string): boolean {
  const family = isIP(host);
  return host === "localhost" || (family > 0 && loopback.check(host, family === 6 ? "ipv6" : "ipv4"));
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new OptionError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function readToken(path: string): string {
  const words = read(path).toString("utf8").split(/\s+/).filter(Boolean);
  if (words.length !== 1) throw new OptionError(`${path} must hold a token and nothing else`);
  return words[0] as string;
}

function write(level: string, text: string): void {
  process.stderr.write(`${new Date().toISOString()} ${level} ${text}\n`);
}

const standardError: Log = {
  info: (text) => write("INFO", text),
  warn: (text) => write("WARNING", text),
  error: (text) => write("ERROR", text),
};
