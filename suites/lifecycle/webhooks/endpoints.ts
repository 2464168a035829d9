import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { differences, isBefore, sameText } from "../../../harness/oracles/agreement.ts";
import { create } from "../../../harness/setup/create.ts";
import { findRecord, listAll } from "../../../harness/setup/listing.ts";
import { lookUntil } from "../../../harness/setup/look-until.ts";
import { addressNowhere, takesReceiver } from "../../../harness/setup/receiver-address.ts";
import { needsSecondRotation } from "../../../harness/setup/second-rotation.ts";
import { recordIn, versionOf } from "../../../harness/setup/subject.ts";
import { unwatchedHook } from "../../../harness/setup/unwatched-hook.ts";
import {
  callOnEndpoint,
  createEndpoint,
  creatingRow,
  disable,
  enable,
  settableFields,
  updateEndpoint,
  updatingRow,
} from "../../../harness/setup/webhook-endpoint.ts";
import { openHook } from "../../../harness/setup/webhook-hook.ts";
import { instantOf, sameJson, showJson, textAt } from "../../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../../harness/wire/reply.ts";
import { WebhookEventTypeSchema } from "../../../proto/gen/beta/v1/resources_pb.js";
import { listRowOf, messageOf, switches } from "../../../proto/resources.ts";
import { Change } from "../../../proto/rpcs.ts";

/** Reads the endpoint until it is at a version, or patience ends: reads may lag behind writes. */
function readAt(context: CaseContext, endpoint: Subject, version: string): Promise<Reply> {
  const read = () => context.setup.read(endpoint);
  return lookUntil(context, read, (reply) => versionOf(recordIn(reply)) === version);
}

/** Updates an endpoint, and judges that a read shows the update. Returns the updated endpoint. */
async function judgeUpdate(context: CaseContext, endpoint: Subject, changes: JsonObject): Promise<Subject> {
  const { judge, needs, row } = context;
  const reply = await updateEndpoint(context, endpoint, changes);
  needs(reply);
  const updated = recordIn(reply);
  // An update of nothing need not be one.
  const isChange = Object.entries(changes).some(([name, value]) => !sameJson(value, endpoint.record[name] ?? null));
  if (isChange)
    judge(reply, "*.versioning.advances").satisfies(
      versionOf(updated) !== endpoint.version,
      `another version than ${endpoint.version}, as ${Object.keys(changes).join(", ")} changed`,
      versionOf(updated),
      `${row.record?.name}.resourceVersion`,
    );
  const read = await readAt(context, endpoint, versionOf(updated));
  const stored = recordIn(read);
  for (const field of settableFields(row)) {
    const sent = reply.request[field] ?? null;
    // Names may be stored in a spelling of the target's own, as its reply shows.
    const isSpelled = field === "name" && sameText(stored[field], sent) && sameText(updated[field], sent);
    if (isSpelled)
      judge(read, "*.records.agree", [reply]).satisfies(
        sameJson(stored[field], updated[field]),
        `${showJson(updated[field])}, as the reply to the update showed`,
        showJson(stored[field]),
        `${row.record?.name}.${field}`,
      );
    // An invariant judges what the reply shows; this judges what was stored.
    judge(reply, undefined, [read]).satisfies(
      isSpelled || sameJson(stored[field], sent),
      `${field} ${showJson(sent)} read back after it was set`,
      read.outcome === "served" ? showJson(stored[field]) : describeReply(read),
      `${row.record?.name}.${field}`,
    );
  }
  const set = Object.fromEntries(settableFields(row).map((field) => [field, reply.request[field] ?? null]));
  return { ...endpoint, record: { ...stored, ...set }, version: versionOf(updated) };
}

/** Judges that a listing shows the endpoint as a read of it does, once both show its version: listings may lag too. */
async function judgeListed(context: CaseContext, endpoint: Subject): Promise<void> {
  const { row, setup, judge } = context;
  const [list, message] = [listRowOf(endpoint.kind, row.package), messageOf(row)];
  if (list === undefined || message === undefined) return;
  const read = await readAt(context, endpoint, endpoint.version);
  const seen = await lookUntil(
    context,
    async () => {
      const { records, replies } = await listAll(context, list, setup.tenant(), { baseUrl: endpoint.baseUrl });
      return { record: findRecord(records, list, endpoint.id), replies };
    },
    ({ record }) => record === undefined || versionOf(record) === endpoint.version,
  );
  const [stored, listed, reply] = [recordIn(read), seen.record, seen.replies.at(-1)];
  if (listed === undefined || reply === undefined) return;
  if (![stored, listed].every((one) => versionOf(one) === endpoint.version)) return;
  const [name] = differences(message, listed, stored);
  judge(reply, "*.records.agree", [read, ...seen.replies.slice(0, -1)]).satisfies(
    name === undefined,
    `${showJson(stored[name ?? ""])}, as a read shows it at version ${endpoint.version}`,
    showJson(listed[name ?? ""]),
    `${list.list?.name}[].${name}`,
  );
}

/** Every type of event there is. */
const allTypes = WebhookEventTypeSchema.values.slice(1).map(({ name }) => name);

/** The endpoint once it was named by a zero, which some take for nothing: the invariants judge the reply. As it was where that is refused. */
async function namedZero(context: CaseContext, endpoint: Subject): Promise<Subject> {
  if (!settableFields(context.row).includes("name")) return endpoint;
  const reply = await updateEndpoint(context, endpoint, { name: "0" });
  if (reply.outcome !== "served") return endpoint;
  return { ...endpoint, ...context.setup.subjectIn(reply), baseUrl: endpoint.baseUrl };
}

/** A new url for an endpoint: our receiver's where there is one, so that no other host gets requests. */
async function anotherHook(context: CaseContext): Promise<string> {
  if (!(await takesReceiver(context))) return addressNowhere();
  return (await openHook(context)).url;
}

export const update = defineRule({
  id: "lifecycle/endpoint-update-changes-only-what-it-sets",
  says: "an update stores each field it sets, and leaves the others unchanged",
  clauses: ["*.records.echo", "*.records.agree", "*.versioning.advances"],
  rows: (row) => row.subject === "webhook_endpoint" && switches(row),
  async run(context) {
    const { row, setup } = context;
    let endpoint = await namedZero(context, await enable(context, await setup.fresh("webhook_endpoint")));
    // That it is stored with them all, its record shows.
    if (settableFields(row).includes("eventTypes"))
      await create(context, creatingRow(context), { eventTypes: [...allTypes] });
    const changes: readonly JsonObject[] = [
      { name: context.setup.name("Renamed") },
      { eventTypes: ["WEBHOOK_EVENT_TYPE_RUN_OUTCOME_UNKNOWN", "WEBHOOK_EVENT_TYPE_APPROVAL_REQUIRED"] },
      { url: await anotherHook(context) },
      { enabled: false },
      { enabled: true },
      { enabled: false },
      { eventTypes: [...allTypes] },
    ];
    const settable = settableFields(context.row);
    const fitting = changes.filter((change) => Object.keys(change).every((field) => settable.includes(field)));
    for (const change of fitting) endpoint = await judgeUpdate(context, endpoint, change);
    await judgeListed(context, endpoint);
    // Whether it is served is not shown. The invariants judge the reply, which may tell of the endpoint why it is refused.
    await updateEndpoint(context, endpoint, { url: "not a url" });
  },
});

/** Judges when a rotation says that the previous secret expires. */
function judgeExpiry({ judge }: CaseContext, rotated: Reply, made: JsonObject): void {
  const shown = rotated.outcome === "served" ? rotated.json.previousSecretExpiresAt : undefined;
  const expires = instantOf(shown);
  judge(rotated, "*.webhooks.previous-expiry").satisfies(
    expires !== undefined,
    "when the previous secret expires",
    showJson(shown),
    "previousSecretExpiresAt",
  );
  judge(rotated, "*.records.times").satisfies(
    !isBefore(shown, made.createdAt),
    "no time before there was a secret",
    showJson(shown),
    "previousSecretExpiresAt",
  );
}

export const rotation = defineRule({
  id: "lifecycle/rotation-issues-a-new-signing-secret",
  says: "a rotation issues a new signing secret, says when the previous one expires (where the contract has a field for it), and leaves the endpoint unchanged",
  clauses: [
    "*.webhooks.signing-secret",
    "*.webhooks.previous-expiry",
    "*.webhooks.rotation",
    "*.records.times",
    "*.records.agree",
    "*.open.endpoint-state",
  ],
  rows: (row) => row.subject === "webhook_endpoint" && row.change === Change.ROTATES,
  async run(context) {
    const { row, run, judge, needs } = context;
    const { reply: created, endpoint, secret: first } = await createEndpoint(context, await unwatchedHook(context));
    judge(created).satisfies(first !== "", "a signing secret", "none", "signingSecret");
    context.observe(
      "*.open.endpoint-state",
      `a new endpoint is ${endpoint.record.enabled === true ? "enabled" : "disabled"}`,
    );
    const secrets = [first];
    let made = endpoint.record;
    const { version: _made, ...subject } = endpoint;
    let version = versionOf(made);
    for (const enabled of [true, false]) {
      if (!enabled) {
        const off = await disable(context, { ...subject, record: made, version });
        made = off.record;
        version = off.version;
      }
      const rotated = await callOnEndpoint(context, { ...subject, version });
      const json = secrets.length === 1 ? needs(rotated) : needsSecondRotation(context, rotated);
      const secret = textAt(json, "signingSecret");
      run.secrets.register(secret, "a signing secret", "signing secret");
      judge(rotated).satisfies(secret !== "", "a signing secret", "none", "signingSecret");
      judge(rotated, "*.webhooks.rotation").satisfies(
        secret === "" || !secrets.includes(secret),
        "a secret that was not issued before",
        "the same secret again",
        "signingSecret",
      );
      secrets.push(secret);
      if (row.output.fields.some(({ jsonName }) => jsonName === "previousSecretExpiresAt")) {
        judgeExpiry(context, rotated, made);
      }
      for (const field of settableFields(updatingRow(context))) {
        const value = recordIn(rotated)[field];
        judge(rotated, "*.records.agree").satisfies(
          sameJson(value, made[field]),
          `${showJson(made[field])}, as before`,
          showJson(value),
          `${row.record?.name}.${field}`,
        );
      }
      version = versionOf(recordIn(rotated));
    }
  },
});
