import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import http2 from "node:http2";
import { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";

import { backoff } from "../src/client.js";
import { type PlayRequest, PlayResponseSchema, PlayService } from "../src/gen/hansa/v1/play_pb.js";
import { type Bot, Client, type Log, OptionError, play, RefusedError, ReplacedError } from "../src/index.js";
import { settingsFrom } from "../src/options.js";
import { Queue } from "../src/queue.js";

const quiet: Log = { info: () => {}, warn: () => {}, error: () => {} };

type Message = NonNullable<MessageInitShape<typeof PlayResponseSchema>["message"]> & object;

/** A stream as the server of a test sees it. */
class ServedStream {
  readonly outbox = new Queue<MessageInitShape<typeof PlayResponseSchema>>();

  constructor(readonly requests: AsyncIterator<PlayRequest>) {}

  send(...messages: Message[]): void {
    for (const message of messages) this.outbox.push(create(PlayResponseSchema, { message }));
  }

  async receive(): Promise<PlayRequest["message"]> {
    const { done, value } = await this.requests.next();
    assert.ok(!done, "the bot closed its stream");
    return value.message;
  }

  async greet(openSeats = 0): Promise<void> {
    const message = await this.receive();
    assert.equal(message.case, "hello");
    this.send({ case: "welcome", value: { name: "tested", openSeats } });
  }
}

/** Starts a server of the real contract that does on each stream what the script says; returns its address. */
async function listen(t: TestContext, script: (stream: ServedStream, number: number) => Promise<void>): Promise<string> {
  let streams = 0;
  const adapter = connectNodeAdapter({
    routes: (router) => {
      router.service(PlayService, {
        async *play(requests) {
          const stream = new ServedStream(requests[Symbol.asyncIterator]());
          void script(stream, ++streams).then(
            () => stream.outbox.close(),
            (error: unknown) => stream.outbox.close(error),
          );
          yield* stream.outbox;
        },
      });
    },
  });
  const server = http2.createServer(adapter);
  const sessions = new Set<http2.Http2Session>();
  server.on("session", (session) => sessions.add(session));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const started = (matchId: string): Message => ({ case: "matchStarted", value: { matchId, rules: { game: "hansa" } } });
const ended = (matchId: string): Message => ({ case: "matchEnded", value: { matchId, result: {} } });

function asked(matchId: string, sequence: number, seconds = 60): Message {
  const clock = { decision: { seconds: BigInt(seconds) } };
  return { case: "decisionRequest", value: { matchId, sequence, legalActions: [4, 5, 6], clock } };
}

test("an answer is sent again on a new stream", async (t) => {
  let chosen = 0;
  let streams = 0;
  const bot: Bot = { name: "tested", choose: () => (chosen++, 5) };
  const server = await listen(t, async (stream, number) => {
    streams = number;
    await stream.greet(1);
    stream.send(started("m"), asked("m", 0));
    const message = await stream.receive();
    assert.ok(message.case === "answer" && message.value.choice.value === 5 && message.value.sequence === 0);
    if (number === 1) throw new ConnectError("cut", Code.Unavailable);
    stream.send(ended("m"));
    client.leave();
    assert.equal((await stream.receive()).case, "goodbye");
  });
  const { client, done } = play(bot, { server, log: quiet });
  await done;
  assert.deepEqual([chosen, streams], [1, 2]);
});

test("mistakes of a bot cost one decision", async (t) => {
  const mistakes: Bot["choose"][] = [
    () => {
      throw new Error("no idea");
    },
    () => Promise.reject(new Error("no idea at all")),
    () => 1023,
  ];
  const told: string[] = [];
  const bot: Bot = {
    name: "tested",
    choose: (decision) => (decision.sequence === 9 ? undefined : mistakes[decision.sequence]!(decision)),
    matchEnded: () => {
      throw new Error("nobody minds");
    },
  };
  const server = await listen(t, async (stream) => {
    await stream.greet();
    stream.send(started("m"));
    for (const sequence of mistakes.keys()) {
      stream.send(asked("m", sequence));
      const message = await stream.receive();
      assert.ok(message.case === "answer" && message.value.sequence === sequence);
      assert.ok([4, 5, 6].includes(Number(message.value.choice.value)));
    }
    stream.send(asked("m", 9));
    assert.equal((await stream.receive()).case, "resign");
    stream.send(ended("m"));
    client.leave();
    await stream.receive();
  });
  const { client, done } = play(bot, { server, log: { ...quiet, error: (text) => told.push(text) } });
  await done;
  assert.equal(told.length, 4);
});

test("the signal of a decision fires with the clock and with the end of the match", async (t) => {
  const fired: string[] = [];
  const bot: Bot = {
    name: "tested",
    async choose({ legal, match, signal }) {
      if (!signal.aborted) await once(signal, "abort");
      fired.push(match.id);
      return legal[0];
    },
  };
  const server = await listen(t, async (stream) => {
    await stream.greet();
    stream.send(started("short"), asked("short", 0, 0));
    await stream.receive();
    stream.send(ended("short"), started("long"), asked("long", 0, 600), ended("long"));
    client.leave();
    await stream.receive();
  });
  const { client, done } = play(bot, { server, log: quiet });
  await done;
  assert.deepEqual(fired, ["short", "long"]);
});

test("a client and its matches can be iterated over", async (t) => {
  const seen: string[] = [];
  const server = await listen(t, async (stream) => {
    await stream.greet();
    const actions = [{ sequence: 0, seat: 1, action: 3 }];
    const events: Message = { case: "matchEvents", value: { matchId: "m", actions, forfeits: [{ seat: 1 }] } };
    stream.send(started("m"), events, events, asked("m", 1));
    await stream.receive();
    stream.send(ended("m"));
    client.leave();
    await stream.receive();
  });
  const client = new Client({ name: "tested", listens: true }, { server, log: quiet });
  for await (const match of client) {
    for await (const event of match) {
      seen.push(event.kind);
      if (event.kind === "decision") event.answer(event.legal[0]!);
    }
    assert.equal(match.history.length, 1);
    assert.ok(match.result);
  }
  assert.deepEqual(seen, ["forfeited", "played", "forfeited", "decision"]);
});

test("breaking out of the loop ends at once", async (t) => {
  const server = await listen(t, async (stream) => {
    await stream.greet();
    stream.send(started("m"));
    await stream.requests.next();
  });
  const client = new Client({ name: "tested" }, { server, log: quiet });
  for await (const match of client) {
    assert.equal(match.id, "m");
    break;
  }
});

for (const [code, kind] of [
  [Code.Aborted, ReplacedError],
  [Code.Unauthenticated, RefusedError],
  [Code.PermissionDenied, RefusedError],
  [Code.InvalidArgument, RefusedError],
] as const) {
  test(`${Code[code]} ends the loop`, async (t) => {
    const server = await listen(t, () => Promise.reject(new ConnectError("no", code)));
    await assert.rejects(play({ name: "tested", choose: () => 0 }, { server, log: quiet }).done, kind);
  });
}

test("leaving without a server", async () => {
  const { client, done } = play({ name: "tested", choose: () => 0 }, { server: "127.0.0.1:1", log: quiet });
  setTimeout(() => client.leave(), 300);
  await done;
});

test("delays grow and have an end", () => {
  for (const [attempt, longest] of [[0, 200], [1, 400], [3, 1600], [5, 5000], [1000, 5000]] as const) {
    for (let time = 0; time < 100; time++) {
      const delay = backoff(attempt);
      assert.ok(delay >= longest / 2 && delay <= longest, `attempt ${attempt}: ${delay}`);
    }
  }
});

test("options", () => {
  const folder = mkdtempSync(join(tmpdir(), "hansa-"));
  const [token, two] = [join(folder, "token"), join(folder, "two")];
  writeFileSync(token, "secret\n");
  writeFileSync(two, "one two\n");
  for (const wrong of [
    { server: "localhost" },
    { server: "localhost:http" },
    { maxMatches: -1 },
    { maxMatches: NaN },
    { tlsCert: "cert.pem" },
    { tokenFile: join(folder, "none") },
    { tokenFile: two },
    { server: "example.org:7717", tokenFile: token },
    { tlsCa: join(folder, "none") },
  ]) {
    assert.throws(() => settingsFrom(wrong, {}), OptionError, JSON.stringify(wrong));
  }
  assert.equal(settingsFrom({}, {}).server, "127.0.0.1:7717");
  assert.equal(settingsFrom({ server: "[::1]:7717", tokenFile: token }, {}).token, "secret");
  assert.equal(settingsFrom({ server: "localhost:7717", tokenFile: token }, {}).token, "secret");
  assert.equal(settingsFrom({ server: "example.org:7717", tokenFile: token, tls: true }, {}).tls, true);
  assert.equal(settingsFrom({}, { HANSA_SERVER: "localhost:1", HANSA_TOKEN: "t" }).server, "localhost:1");
});
