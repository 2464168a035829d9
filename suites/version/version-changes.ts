import { defineRule } from "../../harness/case/case.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { showJson } from "../../harness/wire/json.ts";
import { readRowOf } from "../../proto/resources.ts";
import { Effect, factsOf } from "../../proto/rpcs.ts";
import { callCurrent } from "../common/refusals.ts";

export const advances = defineRule({
  id: "version/mutation-advances-the-version",
  says: "a mutation changes the version; its reply carries the new version, and a read shows the same",
  clauses: ["*.versioning.advances", "*.versioning.carried", "*.records.filled"],
  rows: (row) => row.expectedVersion !== undefined && row.effect === Effect.UPDATE && row.record !== undefined,
  async run(context) {
    const { row, setup, judge, needs } = context;
    const before = await setup.subjectOf(row);
    if (before === undefined) throw new Error(`${row.name} has no subject`);
    const reply = await callCurrent(context, before);
    needs(reply);
    const record = recordIn(reply);
    const version = versionOf(record);
    judge(reply, "*.versioning.carried").satisfies(
      version !== "0",
      "a resourceVersion",
      showJson(record.resourceVersion),
      "resourceVersion",
    );
    judge(reply).satisfies(
      version !== before.version,
      `another version than ${before.version}`,
      version,
      "resourceVersion",
    );
    const updatedAt = record.updatedAt;
    const hasUpdateTime =
      Object.keys(record).length > 0 && row.resource?.fields.some((field) => factsOf(field).changedAt);
    if (hasUpdateTime)
      judge(reply, "*.records.filled").satisfies(
        updatedAt !== undefined && updatedAt !== null,
        "updatedAt of the change",
        showJson(updatedAt),
        "updatedAt",
      );
    const now = await setup.current(before);
    if (now === undefined || !before.changesOnlyByMutation || readRowOf(row.subject, row.package) === undefined) return;
    // Work that continues after the reply may have changed the record since.
    const movedOn = now.record.state !== record.state;
    const read = await setup.read(now);
    judge(read, "*.versioning.carried").satisfies(
      movedOn || now.version === version,
      `version ${version}, as the mutation replied`,
      now.version,
      "resourceVersion",
    );
  },
});

export const readsKeep = defineRule({
  id: "version/reads-keep-the-version",
  says: "a read of a resource does not change its version",
  clauses: ["*.versioning.reads-keep"],
  rows: (row) => (row.effect === Effect.READ || row.effect === Effect.LIST) && !row.published,
  async run(context) {
    const { row, setup, judge, needs } = context;
    const subject = await setup.shared(row.subject);
    const before = await setup.current(subject);
    const reply = await callCurrent(context, subject);
    needs(reply);
    const after = await setup.current(subject);
    judge(reply).satisfies(
      after?.version === before?.version,
      `version ${before?.version}, as before`,
      `${after?.version}`,
    );
  },
});
