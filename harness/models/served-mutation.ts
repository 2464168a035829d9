import type { JsonObject } from "@bufbuild/protobuf";
import { Change } from "../../proto/rpcs.ts";
import { differences } from "../oracles/agreement.ts";
import { recordIn, versionOf } from "../setup/subject.ts";
import { hasContent } from "../wire/content.ts";
import { isDefault } from "../wire/json.ts";
import type { Reply } from "../wire/reply.ts";
import { showFieldsAt } from "./contradiction.ts";
import type { ModelRecord, Mutation } from "./model.ts";
import type { ModelRun } from "./model-run.ts";
import { currentVersionOf } from "./tracked-record.ts";

/**
 * Applies a served mutation to the model, and judges what its reply shows.
 * @param unconditional it expected no version, so that it may have changed nothing
 */
export function applyServed(
  run: ModelRun,
  record: ModelRecord,
  mutation: Mutation,
  reply: Reply,
  unconditional: boolean,
): void {
  const { tracked, kind } = record;
  const before = currentVersionOf(tracked);
  run.unverified.add(record);
  if (!hasContent(reply)) run.context.needs(reply);
  tracked.changes.add(mutation.row.change);
  const wrong = mutation.applySideEffects?.(run.records, reply.outcome === "served" ? reply.json : {}, reply.request);
  for (const { tracked: one } of run.records) if (one.deleted) one.deletedBy ??= reply;
  if (wrong !== undefined) {
    const { contradiction, ...judged } = wrong;
    run.judge({ reply, ...judged, held: false, contradiction: () => contradiction });
  }
  if (mutation.deletes) {
    tracked.deleted = true;
    tracked.deletedBy = reply;
    tracked.noEffectCalls = [];
    return;
  }
  const after = recordIn(reply);
  judgeKeptFields(run, record, mutation, reply, after);
  const version = versionOf(after);
  const mayChangeNothing = unconditional || !mutation.mustServe(before.record) || !kind.rules.settled(before.record);
  if (version === before.version && mayChangeNothing) return;
  const had = tracked.versions.find((one) => one.version === version);
  const { path } = kind.rules;
  run.judge({
    reply,
    clause: "*.versioning.advances",
    held: had === undefined,
    expected: `a version ${tracked.name} never had`,
    contradiction: () => ({
      at: `${path}.resourceVersion`,
      before: { reply: had?.reply, says: `showed ${showFieldsAt(path, had?.record ?? {}, ["resourceVersion"])}` },
      says: `changed the ${path} and showed ${showFieldsAt(path, after, ["resourceVersion"])}`,
      between: "a version it had before",
    }),
  });
  tracked.versions.push({ version, record: after, reply });
  tracked.confirmed = false;
  tracked.noEffectCalls = [];
}

/** Judges that a mutation kept the fields that callers set and this one does not. */
function judgeKeptFields(
  run: ModelRun,
  { tracked, kind }: ModelRecord,
  { row }: Mutation,
  reply: Reply,
  after: JsonObject,
): void {
  const { record: before, reply: shownBy } = currentVersionOf(tracked);
  const { path } = kind.rules;
  const set = new Set(row.input.fields.map((field) => field.jsonName));
  const kept = new Set([...kind.rules.callerFields, "createdAt"].filter((name) => !set.has(name)));
  // What is declared before there is content may be shown once it has come.
  const isFilled = (name: string) => row.change === Change.COMPLETES && isDefault(before[name]);
  const changed = differences(kind.rules.message, before, after, kept).filter((name) => !isFilled(name));
  const show = (record: JsonObject) => showFieldsAt(path, record, changed);
  run.judge({
    reply,
    clause: "*.records.echo",
    held: changed.length === 0,
    expected: `${show(before)}, which the call does not change`,
    contradiction: () => ({
      at: `${path}.${changed[0] ?? ""}`,
      before: { reply: shownBy, says: `showed ${show(before)}` },
      says: `showed ${show(after)}`,
      between: `and ${row.method} sets no such field`,
    }),
  });
}
