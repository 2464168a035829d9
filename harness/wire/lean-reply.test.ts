import { expect, test } from "vitest";
import { streamReply, unaryReply } from "./exchange.testing.ts";
import { bodyLength } from "./exchange.ts";
import { leanReply } from "./lean-reply.ts";

const get = "alpha.v1.SecretService/GetSecret";
const watch = "alpha.v1.JobService/WatchJob";
const long = "x".repeat(2 ** 20);

test("a reply of a usual size is kept as it is", () => {
  const reply = unaryReply(get, {}, { secret: { name: "a" }, laterAddition: "b" });
  expect(leanReply(reply)).toBe(reply);
});

test("of a long reply the beginning of its body and the fields of the contract are kept", () => {
  const lean = leanReply(unaryReply(get, {}, { secret: { name: long }, laterAddition: { note: long } }));
  expect(lean).toMatchObject({ outcome: "served", json: { secret: { name: long } } });
  expect(lean.outcome === "served" && Object.keys(lean.json)).toEqual(["secret"]);
  expect(lean.messages).toHaveLength(1);
  expect(lean.messages[0]?.json).not.toHaveProperty("laterAddition");
  expect(bodyLength(lean.exchange.response)).toBeLessThan(2 ** 14);
  expect(lean.exchange.cutFrom).toBeGreaterThan(2 ** 21);
});

test("each message of a long stream loses what the contract does not have, and none is lost", () => {
  const lean = leanReply(streamReply(watch, {}, [{ heartbeat: {}, laterAddition: long }, { job: {} }]));
  expect(lean.messages.map(({ json }) => json)).toEqual([{ heartbeat: {} }, { job: {} }]);
  expect(lean).toMatchObject({ outcome: "served", json: { heartbeat: {} } });
});
