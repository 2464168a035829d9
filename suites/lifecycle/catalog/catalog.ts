import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { judgeAgreement } from "../../../harness/oracles/agreement.ts";
import { recordsIn } from "../../../harness/oracles/records.ts";
import { listAll } from "../../../harness/setup/listing.ts";
import { recordIn, versionOf } from "../../../harness/setup/subject.ts";
import { isDefault, listAt, sameJson, showJson, textAt, valueAt } from "../../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../../harness/wire/reply.ts";
import { listRowOf } from "../../../proto/resources.ts";
import { rpc } from "../../../proto/rpcs.ts";
import { shownCatalog } from "./shown.ts";

const listMiniApps = rpc("alpha.v1.CatalogService/ListMiniApps");
const getMiniApp = rpc("alpha.v1.CatalogService/GetMiniApp");

/** Where a descriptor publishes its limits. */
const limitsAt = [
  "maximumAttempts",
  "maximumDuration",
  "artifactConstraints.acceptedMimeTypes",
  "artifactConstraints.maximumObjectSizeBytes",
  "artifactConstraints.maximumInputCount",
  "artifactConstraints.defaultRetention",
  "artifactConstraints.maximumRetention",
];

/**
 * Judges that a descriptor publishes limits, and what its operations are. A limit at its default, such as no inputs, reads
 * like one that is left out (docs/contract/readings.md#13): each is observed, and that there is none at all is judged.
 */
function judgeDescriptor({ judge, observe }: CaseContext, reply: Reply, miniApp: JsonObject, at: string): void {
  const missing = limitsAt.filter((path) => isDefault(valueAt(miniApp, path)));
  judge(reply).satisfies(missing.length < limitsAt.length, "a published limit", "none", at);
  for (const path of missing) observe("*.open.mini-apps", `${textAt(miniApp, "id")} has no ${path}, or its default`);
  const operations = listAt(miniApp, "operations");
  observe("*.open.mini-apps", `${textAt(miniApp, "id")} has ${operations.length} operations`);
  for (const [index, operation] of operations.entries()) {
    const place = `${at}.operations[${index}]`;
    for (const field of ["procedure", "executionMode"]) {
      const value = valueAt(operation, field);
      const isSaid = !isDefault(value) && value !== "EXECUTION_MODE_UNSPECIFIED";
      judge(reply, "*.catalog.operations").satisfies(isSaid, "a value", showJson(value), `${place}.${field}`);
    }
  }
  judgeRetentions({ judge }, reply, miniApp, at);
}

/**
 * Judges that operations list their scopes. One that requires none has none to list, so that an empty list is judged where no
 * operation of the catalog has another.
 */
function judgeScopes({ judge, observe }: CaseContext, replies: readonly Reply[]): void {
  const listed = replies.flatMap((reply) =>
    recordsIn(reply).flatMap(({ record, at }) =>
      listAt(record, "operations").map((operation, index) => ({
        reply,
        id: textAt(record, "id"),
        place: `${at}.operations[${index}].apiKeyScopes`,
        scopes: listAt(operation, "apiKeyScopes"),
      })),
    ),
  );
  const listsAny = listed.some(({ scopes }) => scopes.length > 0);
  for (const { reply, id, place, scopes } of listed) {
    if (listsAny && scopes.length === 0) observe("*.open.mini-apps", `${id} has an operation that requires no scope`);
    const are = scopes.every((scope) => typeof scope === "string" && scope !== "");
    const expected = "the scopes the operation requires";
    judge(reply, "*.catalog.operation-scopes").satisfies(listsAny && are, expected, showJson([...scopes]), place);
  }
}

/** Judges that a default retention is allowed by the maximum, where both are published. */
function judgeRetentions({ judge }: Pick<CaseContext, "judge">, reply: Reply, miniApp: JsonObject, at: string): void {
  const [usual = 0, most = 0] = ["defaultRetention", "maximumRetention"].map((name) =>
    Number.parseFloat(textAt(miniApp, `artifactConstraints.${name}`)),
  );
  if (!(usual > 0 && most > 0)) return;
  judge(reply, "*.catalog.default-retention").satisfies(
    usual <= most,
    `at most ${most} s, the maximumRetention`,
    `${usual} s`,
    `${at}.artifactConstraints.defaultRetention`,
  );
}

export const limits = defineRule({
  id: "lifecycle/catalog-publishes-limits",
  says: "each mini app publishes limits that fit each other, and what its operations are and require",
  clauses: ["*.catalog.limits", "*.catalog.operation-scopes", "*.catalog.operations", "*.catalog.default-retention"],
  rows: (row) => row.published && (row.record !== undefined || row.list !== undefined),
  async run(context) {
    const replies = await shownCatalog(context);
    for (const reply of replies) {
      context.needs(reply);
      for (const { record, at } of recordsIn(reply)) judgeDescriptor(context, reply, record, at);
    }
    judgeScopes(context, replies);
  },
});

/** The mini apps as listed, with the page each is on. */
async function listedMiniApps(context: CaseContext) {
  const { records, replies } = await listAll(context, listMiniApps, context.setup.tenant());
  return records.map((record) => {
    const page = replies.find((reply) => recordsIn(reply).some((one) => one.record === record));
    return { record, page, version: versionOf(record) };
  });
}

/** Whether a mini app that the target file names is read, though it is not among the listed. */
async function isReadUnlisted(
  { call, setup, target }: CaseContext,
  shown: readonly { readonly record: JsonObject }[],
): Promise<boolean> {
  const unlisted = target.alpha.miniAppIds.filter((id) => !shown.some(({ record }) => record.id === id));
  const reads = await Promise.all(unlisted.map((miniAppId) => call(getMiniApp, { ...setup.tenant(), miniAppId })));
  return reads.some(({ outcome }) => outcome === "served");
}

export const listed = defineRule({
  id: "lifecycle/listed-mini-apps-can-be-read",
  says: "every listed mini app can be read, and a read shows it as listed",
  clauses: ["alpha.records.agree", "alpha.versioning.carried", "alpha.endpoints.served"],
  // A catalog's read and listing RPCs.
  rows: (row) => row.published && (row.readsRecord || row === listRowOf(row.subject, row.package, row.peers)),
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const message = getMiniApp.record?.field.message;
    const before = await listedMiniApps(context);
    const replies = await Promise.all(
      before.map(({ record }) => call(getMiniApp, { ...setup.tenant(), miniAppId: record.id ?? "" })),
    );
    const after = await listedMiniApps(context);
    const unlisted = replies.some(({ outcome }) => outcome === "refused") && (await isReadUnlisted(context, before));
    for (const [index, { record, page, version }] of before.entries()) {
      const reply = replies[index];
      if (reply === undefined || page === undefined || message === undefined) continue;
      if (row === getMiniApp) {
        const expected = `the listed mini app ${showJson(record.id)}`;
        const held = reply.outcome === "served";
        // Where what the target file names is read and not listed, the listing names what it shows wrongly.
        const culprit = held || !unlisted ? reply : page;
        const shownBy = culprit === reply ? [] : [reply];
        judge(culprit, "*.endpoints.served", shownBy).satisfies(held, expected, describeReply(reply));
      }
      if (reply.outcome !== "served") {
        if (row === listMiniApps) needs(reply);
        continue;
      }
      const read = { source: getMiniApp.method, record: recordIn(reply), settled: true, reply, at: "miniApp" };
      const inList = { source: listMiniApps.method, record, settled: true, reply: page, at: "miniApps[]" };
      const [seen, other] = row === getMiniApp ? [read, inList] : [inList, read];
      // Only equal versions of a descriptor must be equal.
      if (versionOf(read.record) === version) {
        judge(seen.reply).keeps(judgeAgreement(message, seen, [other], new Set(), seen.at));
        continue;
      }
      // A mini app listed at one version before and after the read was at that version when it was read.
      const stood = after.some((one) => sameJson(one.record.id, record.id) && one.version === version);
      judge(seen.reply, "*.versioning.carried").satisfies(
        !stood,
        `version ${versionOf(other.record)}, as ${other.source} showed`,
        versionOf(seen.record),
        `${seen.at}.resourceVersion`,
      );
    }
  },
});
