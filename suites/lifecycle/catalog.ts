import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase, defineRule } from "../../harness/case.ts";
import type { CaseContext } from "../../harness/context.ts";
import { listAll, recordIn, versionOf } from "../../harness/given/subject.ts";
import { isDefault, listAt, objectAt, showJson, textAt } from "../../harness/json.ts";
import { judgeAgreement } from "../../harness/oracles/agreement.ts";
import { recordsIn } from "../../harness/oracles/records.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import { Effect, rpc } from "../../proto/rpcs.ts";

const listMiniApps = rpc("alpha.v1.CatalogService/ListMiniApps");
const getMiniApp = rpc("alpha.v1.CatalogService/GetMiniApp");

/** What a mini app that takes uploads publishes of them. */
const uploadConstraints = [
  "acceptedMimeTypes",
  "maximumObjectSizeBytes",
  "maximumInputCount",
  "defaultRetention",
  "maximumRetention",
];

/** Judges that a descriptor publishes its limits, and the scopes of its operations. */
function judgeDescriptor({ judge, target, note }: CaseContext, reply: Reply, miniApp: JsonObject, at: string): void {
  const published = (value: JsonObject[string] | undefined, field: string) =>
    judge(reply).satisfies(!isDefault(value), "a published limit", showJson(value), `${at}.${field}`);
  published(miniApp.maximumAttempts, "maximumAttempts");
  published(miniApp.maximumDuration, "maximumDuration");
  // A mini app that takes no artifacts may put them at nothing; the one that takes the suite's uploads may not.
  if (textAt(miniApp, "id") === target.alpha.miniAppIds[0]) {
    const constraints = objectAt(miniApp, "artifactConstraints");
    for (const field of uploadConstraints) published(constraints[field], `artifactConstraints.${field}`);
  }
  const operations = listAt(miniApp, "operations");
  note("*.open.mini-apps", `${textAt(miniApp, "id")} has ${operations.length} operations`);
  for (const [index, operation] of operations.entries()) {
    const scopes = listAt(operation, "apiKeyScopes");
    judge(reply, "*.catalog.operation-scopes").satisfies(
      scopes.length > 0 && scopes.every((scope) => typeof scope === "string" && scope !== ""),
      "the scopes the operation requires",
      showJson([...scopes]),
      `${at}.operations[${index}].apiKeyScopes`,
    );
  }
}

export const limits = defineRule({
  id: "lifecycle/catalog-publishes-limits",
  says: "each mini app publishes its attempts, its duration, its artifact constraints and the scopes of its operations",
  clauses: ["*.catalog.limits", "*.catalog.operation-scopes"],
  rows: (row) => row.subject === "mini_app" && (row.effect === Effect.READ || row.effect === Effect.LIST),
  async run(context) {
    const { row, given, call, needs } = context;
    const subject = await given.subjectOf(row);
    const request = await given.request(row, subject);
    const replies =
      row.list === undefined ? [await call(row, request)] : (await listAll(context, row, request)).replies;
    for (const reply of replies) {
      needs(reply);
      for (const { record, at } of recordsIn(reply)) judgeDescriptor(context, reply, record, at);
    }
  },
});

export const listed = defineCase({
  id: "lifecycle/listed-mini-apps-can-be-read",
  says: "every mini app of the listing can be read, and reads as it was listed",
  clauses: ["alpha.records.agree", "alpha.endpoints.served"],
  rpc: "alpha.v1.CatalogService/GetMiniApp",
  async run(context) {
    const { given, call, judge } = context;
    const { records } = await listAll(context, listMiniApps, given.tenant());
    await Promise.all(
      records.map(async (record) => {
        const reply = await call(getMiniApp, { ...given.tenant(), miniAppId: record.id ?? "" });
        const served = judge(reply, "*.endpoints.served").satisfies(
          reply.outcome === "served",
          `the listed mini app ${showJson(record.id)}`,
          describeReply(reply),
        );
        const message = getMiniApp.record?.field.message;
        if (!served || message === undefined) return;
        const seen = { source: getMiniApp.method, record: recordIn(reply), settled: true };
        const other = { source: listMiniApps.method, record, settled: true };
        // Only the same version of a descriptor says the same.
        if (versionOf(seen.record) !== versionOf(record)) return;
        judge(reply).keeps(judgeAgreement(message, seen, [other], new Set(), "miniApp"));
      }),
    );
  },
});
