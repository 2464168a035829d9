import type { JsonObject } from "@bufbuild/protobuf";
import { Effect } from "../../proto/rpcs.ts";
import type { CallOptions } from "../case/call.ts";
import { differences } from "../oracles/agreement.ts";
import { recordIn, versionOf } from "../setup/subject.ts";
import { NotExercised } from "../target/target.ts";
import { hasContent } from "../wire/content.ts";
import { sameJson, showJson } from "../wire/json.ts";
import { describeReply, type Reply } from "../wire/reply.ts";
import { checkRecord } from "./checks.ts";
import type { ModelRecord, Mutation } from "./model.ts";
import { currentSubject, type ModelRun } from "./model-run.ts";
import { currentVersionOf } from "./tracked-record.ts";
import { variedFields } from "./vary.ts";
import { type Change, describeVersionChoice, versionFor } from "./version-choice.ts";

/** Does a deed to a thing as it is aimed, and judges what comes of it. */
export async function applyMutation(history: ModelRun, one: ModelRecord, deed: Mutation, step: Change): Promise<void> {
  const { context, unseen, sent, enter, log } = history;
  const { setup, call, needs } = context;
  const { tracked, kind } = one;
  // What moves by itself is looked at first: its version may have been left behind.
  if (!tracked.ended && !kind.rules.settled(currentVersionOf(tracked).record)) await checkRecord(history, one);
  if (history.broken) return;
  const expected = versionFor(one, deed, step);
  if (expected === undefined) return;
  const { row } = deed;
  const subject = currentSubject(one);
  const usual = await setup.request(row, subject);
  const field = row.expectedVersion?.name ?? "";
  const { [field]: _usual, ...rest } = { ...usual, ...variedFields(context, row, step.draw) };
  const request: JsonObject = { ...rest, ...(step.aim === "none" ? {} : { [field]: expected }) };
  const options: CallOptions = { baseUrl: setup.baseUrl(row, subject) };
  const what = `${row.method} ${tracked.name}, ${describeVersionChoice(step.aim, expected, tracked.ended)}`;
  if (step.aim === "stranger") {
    const stranger = await setup.otherTenant(row).catch(lacking);
    if (stranger === undefined) return;
    const theirs = step.draw % 2 === 0 ? stranger.tenant : {};
    const reply = await call(row, { ...request, ...theirs }, { ...options, as: stranger.key });
    log(what, [reply]);
    refused(history, one, reply, "*.isolation.mutate", "it was sent by another tenant");
    return;
  }
  const reply = await call(row, request, options);
  if (reply.outcome === "broken") needs(reply);
  log(what, [reply]);
  if (tracked.ended) {
    // Whether deleting again is refused is open.
    if (deed.ends) tracked.suspects.push({ reply, clause: "*.deletion.effective" });
    else refused(history, one, reply, "*.deletion.effective", `${tracked.name} was deleted`);
    unseen.add(one);
  } else if (step.aim === "stale" || step.aim === "ahead") {
    refused(history, one, reply, "*.versioning.expected", `version ${expected} is not the current ${subject.version}`);
  } else if (reply.outcome === "served") {
    served(history, one, deed, reply, step.aim === "none");
    if (step.aim === "right" && !history.broken)
      sent.push({ row, request, baseUrl: options.baseUrl, of: one, makes: false });
    // What was just written is mostly what is read next.
    if (!tracked.ended && !history.broken && step.draw % 4 > 0) await checkRecord(history, one);
  } else {
    const sure =
      step.aim === "right" &&
      deed.mustServe(currentVersionOf(tracked).record) &&
      kind.rules.settled(currentVersionOf(tracked).record);
    // A call before that had an effect it must not have had is found first.
    if (sure && tracked.suspects.length > 0) await checkRecord(history, one);
    if (sure && !history.broken)
      enter({
        reply,
        clause: "*.endpoints.served",
        held: false,
        expected: `the call is served: version ${expected} is current`,
        seen: () => describeReply(reply),
      });
    tracked.suspects.push({ reply, clause: "*.versioning.expected" });
    unseen.add(one);
  }
}

function lacking(error: unknown): undefined {
  if (!(error instanceof NotExercised)) throw error;
  return undefined;
}

/** Judges a call that must be refused. That it had no effect, the next reading shows. */
function refused({ enter, unseen }: ModelRun, one: ModelRecord, reply: Reply, clause: string, because: string): void {
  const expected = `the call is refused: ${because}`;
  enter({ reply, clause, held: reply.outcome === "refused", expected, seen: () => describeReply(reply) });
  one.tracked.suspects.push({ reply, clause });
  unseen.add(one);
}

/** Takes a served mutation into the model, and judges what its reply shows. */
function served(history: ModelRun, one: ModelRecord, deed: Mutation, reply: Reply, unconditional: boolean): void {
  const { context, records, unseen, enter } = history;
  const { tracked, kind } = one;
  const before = currentVersionOf(tracked);
  unseen.add(one);
  if (!hasContent(reply)) context.needs(reply);
  const json = reply.outcome === "served" ? reply.json : {};
  const ripple = deed.sideEffects?.(records, json);
  if (ripple !== undefined) enter({ reply, ...ripple, held: false, seen: () => ripple.seen });
  if (deed.ends) {
    tracked.ended = true;
    tracked.suspects = [];
    return;
  }
  const record = recordIn(reply);
  const version = versionOf(record);
  const set = new Set(deed.row.input.fields.map((field) => field.jsonName));
  const kept = new Set([...kind.rules.chosen, "createdAt"].filter((name) => !set.has(name)));
  const lost = differences(kind.rules.message, before.record, record, kept);
  const shown = (from: JsonObject) => lost.map((name) => `${name} ${showJson(from[name])}`).join(", ");
  enter({
    reply,
    clause: "*.records.echo",
    held: lost.length === 0,
    expected: `${shown(before.record)}, which the call does not change`,
    seen: () => shown(record),
  });
  const reused = tracked.stages.some((stage) => stage.version === version);
  const idle = unconditional || !deed.mustServe(before.record) || !kind.rules.settled(before.record);
  if (version === before.version && idle) return;
  enter({
    reply,
    clause: "*.versioning.advances",
    held: !reused,
    expected: `a version ${tracked.name} was never at`,
    seen: () => `version ${version}, at which it was before`,
  });
  tracked.stages.push({ version, record });
  tracked.seen = false;
  tracked.suspects = [];
}

/** Sends a served mutation again. Whatever is answered, it has no second effect. */
export async function replayMutation({ context, sent, unseen, enter, log }: ModelRun, back: number): Promise<void> {
  const { call, needs, setup } = context;
  const repeated = sent[sent.length - 1 - (back % Math.max(1, sent.length))];
  if (repeated === undefined) return;
  const { row, request, baseUrl, of, makes } = repeated;
  // A replay may show the record as it is by now.
  const reply = await call(row, request, { baseUrl, exempt: ["wire/records-show-what-was-stored"] });
  if (reply.outcome === "broken") needs(reply);
  log(`${row.method} again, the same request`, [reply]);
  const id = setup.subjectIn(reply).id;
  if (makes && reply.outcome === "served" && row.effect === Effect.CREATE && id !== null) {
    enter({
      reply,
      clause: "*.idempotency.one-effect",
      held: sameJson(id, of.tracked.id),
      expected: `no second resource: ${showJson(of.tracked.id)}`,
      seen: () => showJson(id),
    });
  }
  of.tracked.suspects.push({ reply, clause: "*.idempotency.one-effect" });
  unseen.add(of);
}
