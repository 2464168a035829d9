import { expect, test } from "vitest";
import type { SeenExchange } from "../case/observer.ts";
import { createSecretRegistry } from "../secrets/registry.ts";
import { exchangeOf } from "../wire/exchange.testing.ts";
import type { Exchange } from "../wire/exchange.ts";
import { evidenceBounds } from "./bounds.ts";
import { leftOut } from "./left-out.ts";
import { createSurrogates } from "./surrogate.ts";
import { createWritableExchanges } from "./writable.ts";

const writable = () => createWritableExchanges(createSecretRegistry(), createSurrogates());
const seen = (exchange: Exchange) => ({ by: "a/case", exchange });
const long = Buffer.from("x".repeat(evidenceBounds.exchange + 1));

test("a body that is not going to be written is let go of at once, and is told by length and hash", () => {
  const { keep, eventOf } = writable();
  const kept = keep(seen(exchangeOf({ body: long })));
  expect(kept.seen.exchange.response?.chunks).toEqual([]);
  expect(kept.excess).toEqual({ response: leftOut(long) });
  expect(eventOf(1, kept)).toMatchObject({ withheld: "size", response: { chunks: [{ bytes: leftOut(long) }] } });
});

test("so is the body of another origin", () => {
  const { keep, eventOf } = writable();
  const kept = keep(seen({ ...exchangeOf({ body: "theirs" }), foreign: true }));
  expect(kept.seen.exchange.response?.chunks).toEqual([]);
  const body = leftOut(Buffer.from("theirs"));
  expect(eventOf(1, kept)).toMatchObject({ withheld: "origin", response: { headers: [], chunks: [{ bytes: body }] } });
});

test("the reply that was read of an exchange is not kept with it", () => {
  const { exchange, by } = seen(exchangeOf({ body: "{}" }));
  const reply = { outcome: "broken" } as unknown as NonNullable<SeenExchange["reply"]>;
  expect(writable().keep({ by, exchange, reply }).seen).toEqual({ by, exchange });
});

test("a short body is kept until it is written", () => {
  const { keep, eventOf } = writable();
  expect(eventOf(1, keep(seen(exchangeOf({ body: "{}" }))))).toMatchObject({ response: { chunks: [{ bytes: "{}" }] } });
});
