import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import type { WireFailure } from "../wire/exchange.ts";
import type { Reply } from "../wire/reply.ts";
import { createHealth } from "./health.ts";

/** A reply that broke off, after so many messages. */
function brokenBy(name: string, kind: WireFailure["kind"], messages = 0): Reply {
  const row = rpc(name);
  return {
    outcome: "broken",
    why: kind,
    row,
    request: {},
    messages: Array.from({ length: messages }, () => ({ json: {}, at: 0 })),
    exchange: {
      number: 1,
      rpc: row.name,
      request: { method: "POST", url: "", headers: [], body: new Uint8Array() },
      response: undefined,
      failure: { kind, message: kind },
      startedAt: 0,
      durationMs: 0,
    },
  };
}

const get = "alpha.v1.SecretService/GetSecret";
const watch = "alpha.v1.JobService/WatchJob";

/** Whether a target that answers so is given up. */
function givenUpAfter(...replies: readonly Reply[]): string | undefined {
  const health = createHealth(10_000);
  for (const reply of replies) health.onExchange({ by: "a test", exchange: reply.exchange, reply });
  return health.givenUp;
}

const times = (count: number, reply: Reply) => Array.from({ length: count }, () => reply);

test("a target that times out eight times in a row is given up, streams counted", () => {
  expect(givenUpAfter(...times(7, brokenBy(get, "timeout")))).toBeUndefined();
  expect(givenUpAfter(...times(7, brokenBy(get, "timeout")), brokenBy(watch, "timeout"))).toMatch(
    /8 requests in a row/,
  );
  expect(givenUpAfter(...times(8, brokenBy(watch, "timeout")))).toMatch(/did not answer/);
});

test("what was given up before anything came neither counts nor begins the count anew", () => {
  const [mute, left] = [brokenBy(get, "timeout"), brokenBy(watch, "abandoned")];
  expect(givenUpAfter(...times(7, mute), left, left)).toBeUndefined();
  expect(givenUpAfter(...times(7, mute), left, mute)).toMatch(/8 requests in a row/);
});

test("an answer in between, or a stream that said something, begins the count anew", () => {
  for (const answer of [brokenBy(get, "malformed"), brokenBy(watch, "timeout", 1)]) {
    expect(givenUpAfter(...times(7, brokenBy(get, "timeout")), answer, brokenBy(get, "timeout"))).toBeUndefined();
  }
});

test("it served something once a call was served", () => {
  const health = createHealth(10_000);
  const refused = brokenBy(get, "reset");
  health.onExchange({ by: "a test", exchange: refused.exchange, reply: refused });
  expect(health.everServed).toBe(false);
  const served: Reply = { ...refused, outcome: "served", json: {} };
  health.onExchange({ by: "a test", exchange: served.exchange, reply: served });
  expect(health.everServed).toBe(true);
});

test("a target that never sent a reply that can be used is given up after a hundred; one that ever did is not", () => {
  const unusable = brokenBy(get, "malformed");
  expect(givenUpAfter(...times(99, unusable))).toBeUndefined();
  expect(givenUpAfter(...times(100, unusable))).toMatch(/none of the first 100 replies could be used/);
  const refused = { ...unusable, outcome: "refused", error: {} } as unknown as Reply;
  expect(givenUpAfter(refused, ...times(200, unusable))).toBeUndefined();
});

/** A refusal of so many bytes, after so many milliseconds. */
function refusedWith(bytes: number, durationMs: number): Reply {
  const { exchange, ...rest } = brokenBy(get, "malformed");
  const response = {
    status: 500,
    headers: [],
    trailers: [],
    chunks: [{ at: 0, bytes: new Uint8Array(bytes) }],
    ended: true,
  };
  const error = { status: 500, code: "internal", message: "", detail: undefined, unread: false, reason: undefined };
  return { ...rest, outcome: "refused", error, exchange: { ...exchange, response, durationMs, failure: undefined } };
}

const secret = { secret: { name: "a-secret-of-the-target" } };
const showing: Reply = { ...refusedWith(10, 10), outcome: "served", json: secret, messages: [{ json: secret, at: 0 }] };

test("a target that shows nothing is given up once that came to 8 MB; one that ever did is not", () => {
  const large = refusedWith(4 * 2 ** 20, 100);
  expect(givenUpAfter(large)).toBeUndefined();
  expect(givenUpAfter(large, large)).toBe("none of the first 2 replies showed anything, in 8 MB");
  expect(givenUpAfter(showing, ...times(20, large))).toBeUndefined();
});

test("a target that shows nothing, and that slowly, is given up after 24 replies; one that ever did is not", () => {
  const slow = refusedWith(10, 2500);
  expect(givenUpAfter(...times(23, slow), ...times(100, refusedWith(10, 2000)))).toBeUndefined();
  expect(givenUpAfter(...times(24, slow))).toBe(
    "none of the first 24 replies showed anything, and 24 of them took 2500 ms and more",
  );
  expect(givenUpAfter(showing, ...times(100, slow))).toBeUndefined();
});
