import { expect, test } from "vitest";
import { unaryReply } from "../wire/exchange.testing.ts";
import type { Reply } from "../wire/reply.ts";
import { judgePastTimes } from "./past-times.ts";

const sent = "Thu, 01 Jan 2026 12:00:00 GMT";

function replyWith(record: Record<string, string>, date = sent): Reply {
  const reply = unaryReply("alpha.v1.SecretService/GetSecret", {}, { secret: record });
  const { response } = reply.exchange;
  if (response === undefined) throw new Error("no response");
  return { ...reply, exchange: { ...reply.exchange, response: { ...response, headers: [["date", date]] } } };
}

test.each([
  ["a change an hour ahead", "2026-01-01T11:59:00Z", "2026-01-01T13:00:00Z", 1],
  ["a change now", "2026-01-01T11:59:00Z", "2026-01-01T12:00:01.5Z", 0],
  ["a change that another clock dates", "2026-01-01T11:59:00Z", "2026-01-01T12:09:00Z", 0],
  ["a record that was made long ago", "2025-01-01T11:59:00Z", "2026-01-01T13:00:00Z", 0],
  ["a server whose clock is an hour ahead", "2026-01-01T12:59:00Z", "2026-01-01T13:00:00Z", 0],
])("%s", (_what, createdAt, updatedAt, breaches) => {
  const found = judgePastTimes(replyWith({ createdAt, updatedAt }));
  expect(found).toHaveLength(breaches);
  for (const breach of found) expect(breach).toMatchObject({ clause: "*.records.times", at: "secret.updatedAt" });
});

test("a reply that has no date says nothing", () => {
  const times = { createdAt: "2026-01-01T11:59:00Z", updatedAt: "2026-01-01T13:00:00Z" };
  expect(judgePastTimes(replyWith(times, "yesterday"))).toEqual([]);
});
