import type { JsonObject } from "@bufbuild/protobuf";
import { Effect } from "../../proto/rpcs.ts";
import { differences } from "../oracles/agreement.ts";
import type { CallOptions } from "../runner/call.ts";
import { recordIn, versionOf } from "../setup/subject.ts";
import { NotExercised } from "../target/target.ts";
import { isTelling } from "../wire/content.ts";
import { sameJson, showJson } from "../wire/json.ts";
import { describeReply, type Reply } from "../wire/reply.ts";
import { type Change, describeAim, versionFor } from "./aim.ts";
import type { Deed, Held } from "./family.ts";
import { type History, subjectNow } from "./history.ts";
import { look } from "./sightings.ts";
import { stageOf } from "./thing.ts";
import { variedFields } from "./vary.ts";

/** Does a deed to a thing as it is aimed, and judges what comes of it. */
export async function change(history: History, one: Held, deed: Deed, step: Change): Promise<void> {
  const { context, unseen, sent, enter, tell } = history;
  const { given, call, needs } = context;
  const { thing, kind } = one;
  // What moves by itself is looked at first: its version may have been left behind.
  if (!thing.ended && !kind.nature.settled(stageOf(thing).record)) await look(history, one);
  if (history.broken) return;
  const expected = versionFor(one, deed, step);
  if (expected === undefined) return;
  const { row } = deed;
  const subject = subjectNow(one);
  const usual = await given.request(row, subject);
  const field = row.expectedVersion?.name ?? "";
  const { [field]: _usual, ...rest } = { ...usual, ...variedFields(context, row, step.draw) };
  const request: JsonObject = { ...rest, ...(step.aim === "none" ? {} : { [field]: expected }) };
  const options: CallOptions = { baseUrl: given.baseUrl(row, subject) };
  const what = `${row.method} ${thing.name}, ${describeAim(step.aim, expected, thing.ended)}`;
  if (step.aim === "stranger") {
    const stranger = await given.stranger(row).catch(lacking);
    if (stranger === undefined) return;
    const theirs = step.draw % 2 === 0 ? stranger.tenant : {};
    const reply = await call(row, { ...request, ...theirs }, { ...options, as: stranger.key });
    tell(what, [reply]);
    refused(history, one, reply, "*.isolation.mutate", "it was sent by another tenant");
    return;
  }
  const reply = await call(row, request, options);
  if (reply.outcome === "broken") needs(reply);
  tell(what, [reply]);
  if (thing.ended) {
    // Whether deleting again is refused is open.
    if (deed.ends) thing.suspects.push({ reply, clause: "*.deletion.effective" });
    else refused(history, one, reply, "*.deletion.effective", `${thing.name} was deleted`);
    unseen.add(one);
  } else if (step.aim === "stale" || step.aim === "ahead") {
    refused(history, one, reply, "*.versioning.expected", `version ${expected} is not the current ${subject.version}`);
  } else if (reply.outcome === "served") {
    served(history, one, deed, reply, step.aim === "none");
    if (step.aim === "right" && !history.broken)
      sent.push({ row, request, baseUrl: options.baseUrl, of: one, makes: false });
    // What was just written is mostly what is read next.
    if (!thing.ended && !history.broken && step.draw % 4 > 0) await look(history, one);
  } else {
    const sure =
      step.aim === "right" && deed.mustServe(stageOf(thing).record) && kind.nature.settled(stageOf(thing).record);
    // A call before that had an effect it must not have had is found first.
    if (sure && thing.suspects.length > 0) await look(history, one);
    if (sure && !history.broken)
      enter({
        reply,
        clause: "*.endpoints.served",
        held: false,
        expected: `the call is served: version ${expected} is current`,
        seen: () => describeReply(reply),
      });
    thing.suspects.push({ reply, clause: "*.versioning.expected" });
    unseen.add(one);
  }
}

function lacking(error: unknown): undefined {
  if (!(error instanceof NotExercised)) throw error;
  return undefined;
}

/** Judges a call that must be refused. That it had no effect, the next reading shows. */
function refused({ enter, unseen }: History, one: Held, reply: Reply, clause: string, because: string): void {
  const expected = `the call is refused: ${because}`;
  enter({ reply, clause, held: reply.outcome === "refused", expected, seen: () => describeReply(reply) });
  one.thing.suspects.push({ reply, clause });
  unseen.add(one);
}

/** Takes a served mutation into the model, and judges what its reply shows. */
function served(history: History, one: Held, deed: Deed, reply: Reply, unconditional: boolean): void {
  const { context, held, unseen, enter } = history;
  const { thing, kind } = one;
  const before = stageOf(thing);
  unseen.add(one);
  if (!isTelling(reply)) context.needs(reply);
  const json = reply.outcome === "served" ? reply.json : {};
  const ripple = deed.ripples?.(held, json);
  if (ripple !== undefined) enter({ reply, ...ripple, held: false, seen: () => ripple.seen });
  if (deed.ends) {
    thing.ended = true;
    thing.suspects = [];
    return;
  }
  const record = recordIn(reply);
  const version = versionOf(record);
  const set = new Set(deed.row.input.fields.map((field) => field.jsonName));
  const kept = new Set([...kind.nature.chosen, "createdAt"].filter((name) => !set.has(name)));
  const lost = differences(kind.nature.message, before.record, record, kept);
  const shown = (from: JsonObject) => lost.map((name) => `${name} ${showJson(from[name])}`).join(", ");
  enter({
    reply,
    clause: "*.records.echo",
    held: lost.length === 0,
    expected: `${shown(before.record)}, which the call does not change`,
    seen: () => shown(record),
  });
  const reused = thing.stages.some((stage) => stage.version === version);
  const idle = unconditional || !deed.mustServe(before.record) || !kind.nature.settled(before.record);
  if (version === before.version && idle) return;
  enter({
    reply,
    clause: "*.versioning.advances",
    held: !reused,
    expected: `a version ${thing.name} was never at`,
    seen: () => `version ${version}, at which it was before`,
  });
  thing.stages.push({ version, record });
  thing.seen = false;
  thing.suspects = [];
}

/** Sends a served mutation again. Whatever is answered, it has no second effect. */
export async function again({ context, sent, unseen, enter, tell }: History, back: number): Promise<void> {
  const { call, needs, given } = context;
  const repeated = sent[sent.length - 1 - (back % Math.max(1, sent.length))];
  if (repeated === undefined) return;
  const { row, request, baseUrl, of, makes } = repeated;
  // A replay may show the record as it is by now.
  const reply = await call(row, request, { baseUrl, exempt: ["wire/records-show-what-was-stored"] });
  if (reply.outcome === "broken") needs(reply);
  tell(`${row.method} again, the same request`, [reply]);
  const id = given.subjectIn(reply).id;
  if (makes && reply.outcome === "served" && row.effect === Effect.CREATE && id !== null) {
    enter({
      reply,
      clause: "*.idempotency.one-effect",
      held: sameJson(id, of.thing.id),
      expected: `no second resource: ${showJson(of.thing.id)}`,
      seen: () => showJson(id),
    });
  }
  of.thing.suspects.push({ reply, clause: "*.idempotency.one-effect" });
  unseen.add(of);
}
