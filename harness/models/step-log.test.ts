import { expect, test } from "vitest";
import { createSecretRegistry } from "../secrets/registry.ts";
import { exchangeOf, unaryReply } from "../wire/exchange.testing.ts";
import { readUnary } from "../wire/reply.ts";
import { formatSteps, outcomeOf } from "./step-log.ts";

const name = "alpha.v1.SecretService/GetSecret";
const served = unaryReply(name, {}, { secret: { resourceVersion: "3" } });
const refused = unaryReply(name, {}, { code: "not_found" }, { status: 404 });

test("an outcome is told in a few words", () => {
  expect(outcomeOf(served)).toBe("served, version 3");
  expect(outcomeOf(unaryReply(name, {}, { secret: {} }))).toBe("served");
  expect(outcomeOf(refused)).toBe("refused, not_found");
  const debug = { reason: "ERROR_REASON_RESOURCE_NOT_FOUND" };
  const detailed = { code: "not_found", details: [{ type: "alpha.v1.ErrorDetail", debug }] };
  expect(outcomeOf(unaryReply(name, {}, detailed, { status: 404 }))).toBe("refused, RESOURCE_NOT_FOUND");
  const broken = readUnary(served.row, {}, { ...exchangeOf(), response: undefined });
  expect(outcomeOf(broken)).toMatch(/^no usable reply: /);
});

test("steps are numbered, each with the outcome and the request of its last reply", () => {
  const steps = [
    { what: "create secret a", replies: [] },
    { what: "read secret a", replies: [refused, served] },
  ];
  expect(formatSteps(steps, createSecretRegistry())).toBe(
    "1. create secret a\n2. read secret a → served, version 3\n   curl -sS -i -X POST 'http://127.0.0.1/'",
  );
});
