import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { integerAt } from "../../harness/setup/integer.ts";
import { idIn, recordIn, versionOf } from "../../harness/setup/subject.ts";
import { ChosenOtherwise, NotExercised } from "../../harness/target/target.ts";
import { sameJson, showJson } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { Change, Effect, type RpcRow } from "../../proto/rpcs.ts";
import { callCurrent } from "../common/current-call.ts";
import { countable, creating, mutatesSteadyRecord } from "./rows.ts";

/** One field of a request, with two values that no server may take for one. */
interface Pair {
  readonly name: string;
  /** Undefined where the request is sent as it is. */
  readonly first?: JsonValue;
  readonly second: JsonValue;
}

/** A thing of a kind to name as an input; undefined where the target has none. */
async function sharedId({ setup }: CaseContext, kind: string): Promise<JsonValue | undefined> {
  try {
    return (await setup.shared(kind)).id;
  } catch (error) {
    if (error instanceof NotExercised) return undefined;
    throw error;
  }
}

/** Another value than `now` for a field that is told by its name; undefined for those whose values are the target's to choose. */
function otherValue({ random }: CaseContext, name: string, now: JsonValue | undefined): JsonValue | undefined {
  if (name === "value" || name === "plaintextValue") return `other-${random.token(24)}`;
  if (name === "enabled") return now !== true;
  if (name === "decision") return `APPROVAL_DECISION_${/_APPROVE$/.test(String(now)) ? "REJECT" : "APPROVE"}`;
  if (name === "url" && typeof now === "string") return `${now}${now.includes("?") ? "&" : "?"}other=1`;
  if (name === "eventTypes" && Array.isArray(now) && now.length > 1) return now.slice(1);
  if (name === "sha256Hex") return now === undefined ? undefined : "5e".repeat(32);
  // Whether it is taken or not, it is another.
  if (name === "mimeType") return now === "text/plain" ? "application/json" : "text/plain";
  if (name === "sizeBytes" && typeof now === "string") return String(integerAt({ now }, "now") + 1n);
  return undefined;
}

/** Changes that a value of the request tells, and the fields that may. */
const changes = new Set([Change.SETS, Change.ROTATES, Change.DECIDES]);
const told = new Set(["enabled", "url", "value", "plaintextValue", "decision"]);

/** The fields of a request that are worth another value beside its name. */
async function pairsOf(context: CaseContext, request: JsonObject): Promise<readonly Pair[]> {
  const { row } = context;
  const pairs: Pair[] = [];
  for (const { jsonName: name } of row.input.fields) {
    const second = otherValue(context, name, request[name]);
    const input = row.ids.find((id) => id.name === name && id.field.fieldKind === "list" && id.facts.names !== "tool");
    if (second !== undefined) pairs.push({ name, second });
    // Short enough for whoever bounds it; a retention that is left out may be the same as one that is sent.
    else if (name === "requestedRetention") pairs.push({ name, first: "3600s", second: "5400s" });
    else if (input !== undefined) {
      const id = await sharedId(context, input.facts.names);
      if (id !== undefined) pairs.push({ name, first: [], second: [id] });
    }
  }
  return pairs;
}

/** The request with the first value of a pair, under a requestId of its own. */
async function firstRequest({ row, setup }: CaseContext, { name, first }: Pair): Promise<JsonObject> {
  const request = await setup.request(row, undefined);
  return first === undefined ? request : { ...request, [name]: first };
}

/** Where the reply is to another request, neither invariant about what a record shows judges what this rule does. */
const exempt = ["wire/records-show-what-was-stored"];

/** Judges that the reply to the second request is not that to the first: `isSame` tells that it is of the same thing. */
function judgeOther(
  { judge, observe }: CaseContext,
  pair: Pair,
  replies: readonly [Reply, Reply],
  isSame: boolean,
): void {
  const [first, reply] = replies;
  const shown = recordIn(reply)[pair.name];
  // What the record shows as it was sent was done, whatever else the reply has of the first.
  const isDone = shown !== undefined && sameJson(shown, pair.second);
  judge(reply, undefined, [first]).satisfies(
    reply.outcome !== "broken" && !(reply.outcome === "served" && isSame && !isDone),
    `a refusal, or a reply to the request with another ${pair.name}`,
    `the reply to the first request: ${showJson(reply.outcome === "served" ? recordIn(reply) : null)}`,
    pair.name,
  );
  observe("*.open.changed-replay", `a requestId with another ${pair.name} is ${reply.outcome}`);
}

export const otherCreation = defineRule({
  id: "idempotency/reused-request-id-with-another-value-is-not-a-replay",
  says: "a requestId reused to create the same with another value, retention or input is not answered with the first resource",
  clauses: ["*.idempotency.changed-request"],
  rows: (row) =>
    creating(row) &&
    (countable(row) || row.ids.some(({ field }) => field.fieldKind === "list")) &&
    row.subject !== "customer_user",
  async run(context) {
    const { row, call, setup } = context;
    let asked = 0;
    for (const pair of await pairsOf(context, await setup.request(row, undefined))) {
      const request = await firstRequest(context, pair);
      const first = await call(row, request);
      // That a value may be sent at all is judged elsewhere.
      if (first.outcome !== "served") continue;
      asked += 1;
      const reply = await call(row, { ...request, [pair.name]: pair.second }, { exempt });
      const isSame = reply.outcome === "served" && sameJson(idIn(reply), idIn(first));
      judgeOther(context, pair, [first, reply], isSame);
    }
    if (asked === 0) throw new ChosenOtherwise(`${row.method} has no field that is served with two values`);
  },
});

export const otherChange = defineRule({
  id: "idempotency/reused-request-id-with-another-change-is-not-a-replay",
  says: "a change repeated with its requestId and version but another value is not answered with the reply to the first",
  clauses: ["*.idempotency.changed-request"],
  rows: (row: RpcRow) =>
    mutatesSteadyRecord(row) &&
    row.effect === Effect.UPDATE &&
    changes.has(row.change) &&
    row.input.fields.some(({ jsonName }) => told.has(jsonName)),
  async run(context) {
    const { row, setup, call, needs } = context;
    const subject = await setup.subjectOf(row);
    const usual: JsonObject = { ...subject?.record, ...(await setup.request(row, subject)) };
    let asked = 0;
    for (const { jsonName } of row.input.fields) {
      // What is known to have no other value is not asked for: that something is decided can be asked once.
      if (otherValue(context, jsonName, usual[jsonName]) === undefined) continue;
      const first = await callCurrent(context, subject);
      needs(first);
      const now = first.request[jsonName] ?? recordIn(first)[jsonName];
      const second = otherValue(context, jsonName, now);
      if (second === undefined) continue;
      asked += 1;
      const request = { ...first.request, [jsonName]: second };
      const reply = await call(row, request, { baseUrl: setup.baseUrl(row, subject), exempt });
      const isSame = reply.outcome === "served" && versionOf(recordIn(reply)) === versionOf(recordIn(first));
      judgeOther(context, { name: jsonName, second }, [first, reply], isSame);
    }
    if (asked === 0) throw new ChosenOtherwise(`${row.method} has no field that another value is known for`);
  },
});
