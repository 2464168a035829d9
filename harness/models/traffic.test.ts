import type { JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { type RpcRow, rpc } from "../../proto/rpcs.ts";
import { unaryReply } from "../wire/exchange.testing.ts";
import { findLinearization } from "./linearization.ts";
import { modelKind } from "./model.ts";
import { recordModel, withoutReads } from "./operation-model.ts";
import { contextOf, SecretService } from "./secret-service.testing.ts";
import { runTraffic, type SharedRecord, shownRecordOf } from "./traffic.ts";
import type { ClientAction, TrafficPlan } from "./traffic-plan.ts";

const read: ClientAction = { type: "read" };
const mutate: ClientAction = { type: "mutate", mutation: 0, variation: 0, hangUp: false };
const hangUp: ClientAction = { ...mutate, hangUp: true };
const skip: ClientAction = { type: "skip" };

async function run(plan: Pick<TrafficPlan, "clients" | "deletes">, service = new SecretService()) {
  const { context } = contextOf(service);
  const reply = await context.call(rpc("alpha.v1.SecretService/CreateSecret"), { name: "a" });
  const shared: SharedRecord = {
    context,
    kind: modelKind("secret", "alpha.v1", () => false),
    subject: context.setup.subjectIn(reply),
    comparedFields: new Set(["name"]),
  };
  const history = await runTraffic(shared, plan);
  const initial = shownRecordOf(shared, shared.subject.record);
  return { history, initial, kinds: history.map(({ client, effect }) => `${client} ${effect.kind}`) };
}

test("clients mutate at the version they saw last, and read again after a refusal", async () => {
  const plan = { clients: [[], [mutate, skip, mutate], [mutate]], deletes: false };
  const { history, initial, kinds } = await run(plan);
  expect(kinds.toSorted()).toEqual(["1 write", "1 write", "2 read"]);
  expect(history.flatMap(({ effect }) => (effect.kind === "write" ? [effect.expected] : []))).toEqual(["1", "2"]);
  expect(history.every(({ called, returned }) => called <= returned)).toBe(true);
  expect(findLinearization(history, recordModel(initial)).found).toBe("yes");
});

test("the first client only reads, and deletes at the end where the plan says so", async () => {
  expect((await run({ clients: [[read, mutate]], deletes: true })).kinds).toEqual(["0 read", "0 read", "0 delete"]);
  expect((await run({ clients: [[read]], deletes: false })).kinds).toEqual(["0 read"]);
});

test("a mutation whose client hung up has no reply, and no end", async () => {
  const { history } = await run({ clients: [[], [hangUp, read]], deletes: false });
  const [lost, later] = history;
  expect(lost).toMatchObject({ returned: Infinity, reply: undefined, effect: { kind: "lost", expected: "1" } });
  expect(lost?.request).toMatchObject({ expectedResourceVersion: "1" });
  expect(later?.effect).toMatchObject({ kind: "read", shown: { version: "2" } });
});

test("a served mutation that changes nothing counts as a read", async () => {
  class Idle extends SecretService {
    override rotate(secret: JsonObject) {
      return secret;
    }
  }
  expect((await run({ clients: [[], [mutate]], deletes: false }, new Idle())).kinds).toEqual(["1 read"]);
});

test("a redelivery that shows a record of its own says nothing of the one it is asked of, nor of its version", async () => {
  const { context } = contextOf(new SecretService());
  const delivery = (id: string, version: string) => ({ id: { value: id }, resourceVersion: version });
  const call = async (row: RpcRow, request: JsonObject) =>
    unaryReply(row.name, request, { delivery: delivery("b", "1") }, {});
  const shown = delivery("a", "2");
  const subject = { kind: "webhook_delivery", id: shown.id, record: shown, version: "2", changesOnlyByMutation: true };
  const shared: SharedRecord = {
    context: { ...context, call },
    kind: modelKind("webhook_delivery", "alpha.v1", () => false),
    subject,
    comparedFields: new Set(),
  };
  const history = await runTraffic(shared, { clients: [[], [mutate, mutate]], deletes: false });
  expect(history.map(({ what, effect }) => [what, effect.kind])).toEqual([
    ["RedeliverWebhookDelivery at version 2", "elsewhere"],
    ["RedeliverWebhookDelivery at version 2", "elsewhere"],
  ]);
  const initial = shownRecordOf(shared, subject.record);
  expect(findLinearization(history, recordModel(initial)).found).toBe("yes");
  expect(withoutReads(history)).toEqual([]);
});

test("a read that finds no record is told apart", async () => {
  class Hiding extends SecretService {
    override read() {
      return { status: 404, json: { code: "not_found" } };
    }
  }
  const { history, kinds } = await run({ clients: [[read]], deletes: false }, new Hiding());
  expect(kinds).toEqual(["0 not-found"]);
  expect(history[0]?.record).toBeUndefined();
});
