import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import { defineInvariant } from "../case/case.ts";
import { createSecretRegistry } from "../secrets/registry.ts";
import { unaryReply } from "../wire/exchange.testing.ts";
import { createInvariants } from "./invariants.ts";
import { makersToRepeat } from "./replay.ts";

const list = "alpha.v1.SecretService/ListSecrets";
const create = "alpha.v1.SecretService/CreateSecret";

/** An invariant that every listing breaks. */
const broken = defineInvariant({
  id: "wire/broken",
  says: "no listing is served",
  clauses: ["alpha.wire.list"],
  rows: ({ name }) => name === list,
  judge: () => [{ clause: "alpha.wire.list", expected: "none", actual: "one", at: "secrets" }],
});

/** The case that is repeated for the breach, of those that made these calls in this order. */
function repeated(...calls: readonly (readonly [by: string, name: string])[]) {
  const invariants = createInvariants([broken], createSecretRegistry());
  for (const [by, name] of calls) invariants.judge(unaryReply(name, {}, {}), [], by);
  return makersToRepeat(invariants.record(broken.id, rpc(list)).brokenBy).map(({ id }) => id);
}

test("a breach is repeated by the first case that showed it", () => {
  expect(repeated([`a/first ${list}`, list], [`a/second ${list}#2`, list])).toEqual(["a/first"]);
});

test("rather by one that made a record of the kind itself: alone, another has nothing to show", () => {
  const first = ["a", "b", "c"].map((id) => [`a/${id} ${list}`, list] as const);
  expect(repeated(...first, [`a/maker ${list} shared 0`, create], [`a/maker ${list}`, list])).toEqual(["a/maker"]);
  expect(repeated([`a/maker ${list}`, create], [`a/maker ${list}`, list], ...first)).toEqual(["a/maker"]);
  const twice = [`a/twice ${list}`, create] as const;
  expect(
    repeated([`a/maker ${list}`, create], [`a/maker ${list}`, list], twice, twice, [`a/twice ${list}`, list]),
  ).toEqual(["a/twice"]);
  expect(repeated(...first, [`a/maker ${list}#1`, create], [`a/maker ${list}#1`, list])).toEqual(["a/a"]);
  const other = "alpha.v1.WebhookService/CreateWebhookEndpoint";
  expect(repeated(...first, [`a/maker ${list}`, other], [`a/maker ${list}`, list])).toEqual(["a/a"]);
});
