import type { JsonObject } from "@bufbuild/protobuf";
import type { CallOptions } from "../case/call.ts";
import { NotExercised } from "../target/target.ts";
import { showJson } from "../wire/json.ts";
import { describeReply, isRefusedFor, type Reply } from "../wire/reply.ts";
import { checkRecord } from "./checks.ts";
import { type Contradiction, showFieldsAt } from "./contradiction.ts";
import type { ModelRecord, Mutation } from "./model.ts";
import { currentSubject, type ModelRun } from "./model-run.ts";
import { applyServed } from "./served-mutation.ts";
import { currentVersionOf } from "./tracked-record.ts";
import { variedFields } from "./varied-fields.ts";
import { describeVersionChoice, type MutateCommand, versionFor } from "./version-choice.ts";

/** Mutates a record as a command says, applies it to the model, and judges the reply. */
export async function applyMutation(
  run: ModelRun,
  record: ModelRecord,
  mutation: Mutation,
  command: MutateCommand,
): Promise<void> {
  const { context, replayable } = run;
  const { tracked, kind } = record;
  // A record that changes by itself is read first, as its version may have moved on.
  if (!tracked.deleted && !isSettled(record)) await checkRecord(run, record);
  if (run.violated) return;
  const expected = versionFor(record, mutation, command);
  if (expected === undefined) return;
  const { row } = mutation;
  const { request, options } = await requestOf(run, record, mutation, command, expected);
  const what = `${row.method} ${tracked.name}, ${describeVersionChoice(command.version, expected, tracked.deleted)}`;
  if (command.version === "other-tenant")
    return mutateAsOtherTenant(run, record, command, what, { row, request, options });
  const reply = await context.call(row, request, options);
  if (reply.outcome === "broken") context.needs(reply);
  run.log(what, [reply]);
  if (tracked.deleted) {
    // Whether a second deletion is refused is open.
    if (mutation.deletes) tracked.noEffectCalls.push({ reply, clause: "*.deletion.effective" });
    else {
      judgeRefusal(run, record, reply, "*.deletion.effective", `${tracked.name} was deleted`, {
        at: kind.rules.path,
        before: { reply: tracked.deletedBy, says: `deleted ${tracked.name}` },
        says: "was served all the same",
        between: "and nothing between created it again",
      });
    }
    run.unverified.add(record);
  } else if (command.version === "stale" || command.version === "future") {
    const { version } = currentVersionOf(tracked);
    const because = `version ${expected} is not the current ${version}`;
    const contradiction = { ...versionShown(record), says: `was served at ${showJson(expected)}` };
    judgeRefusal(run, record, reply, "*.versioning.expected", because, contradiction);
  } else if (reply.outcome === "served") {
    applyServed(run, record, mutation, reply, command.version === "omitted");
    if (command.version === "current" && !run.violated) {
      replayable.push({ row, request, baseUrl: options.baseUrl, record, creates: false });
    }
    // Mostly what was just written is read next.
    if (!tracked.deleted && !run.violated && command.variation % 4 > 0) await checkRecord(run, record);
  } else await judgeUnexpectedRefusal(run, record, mutation, reply, command.version === "current", expected);
}

/** What showed the current version last, as what a later reply contradicts. */
function versionShown({ tracked, kind }: ModelRecord): Omit<Contradiction, "says"> {
  const { path } = kind.rules;
  const { reply, record } = currentVersionOf(tracked);
  const says = `showed ${showFieldsAt(path, record, ["resourceVersion"])}`;
  return { at: `${path}.resourceVersion`, before: { reply, says } };
}

const isSettled = ({ tracked, kind }: ModelRecord) =>
  tracked.mayMove !== true && kind.rules.settled(currentVersionOf(tracked).record);

async function requestOf(
  { context }: ModelRun,
  record: ModelRecord,
  { row }: Mutation,
  { version, variation }: MutateCommand,
  expected: string,
): Promise<{ readonly request: JsonObject; readonly options: CallOptions }> {
  const { setup } = context;
  const subject = currentSubject(record);
  const usual = await setup.request(row, subject);
  const versionField = row.expectedVersion?.name ?? "";
  const { [versionField]: _usual, ...fields } = { ...usual, ...variedFields(context, row, variation, subject) };
  return {
    request: { ...fields, ...(version === "omitted" ? {} : { [versionField]: expected }) },
    options: { baseUrl: setup.baseUrl(row, subject) },
  };
}

/** Sends a mutation with the credential of another tenant, where the target file has one. */
async function mutateAsOtherTenant(
  run: ModelRun,
  record: ModelRecord,
  { variation }: MutateCommand,
  what: string,
  {
    row,
    request,
    options,
  }: { readonly row: Mutation["row"]; readonly request: JsonObject; readonly options: CallOptions },
): Promise<void> {
  const { setup, call } = run.context;
  const other = await setup.otherTenant(row).catch((error: unknown) => {
    if (!(error instanceof NotExercised)) throw error;
    return undefined;
  });
  if (other === undefined) return;
  const tenantFields = variation % 2 === 0 || other.sharesKey ? other.tenant : {};
  const reply = await call(row, { ...request, ...tenantFields }, { ...options, as: other.key });
  run.log(what, [reply]);
  const { tracked, kind } = record;
  const [made] = tracked.versions;
  judgeRefusal(run, record, reply, "*.isolation.mutate", "it was sent by another tenant", {
    at: kind.rules.path,
    before: { reply: made?.reply, says: `showed ${tracked.name} to its own tenant` },
    says: "was served to another tenant",
    between: "which it does not belong to",
  });
}

/** Judges a call that must be refused. Whether it had an effect, the next read shows. */
function judgeRefusal(
  run: ModelRun,
  record: ModelRecord,
  reply: Reply,
  clause: string,
  because: string,
  contradiction: Contradiction,
): void {
  run.judge({
    reply,
    clause,
    held: reply.outcome === "refused",
    expected: `the call is refused: ${because}`,
    actual: () => describeReply(reply),
    contradiction: () => contradiction,
  });
  record.tracked.noEffectCalls.push({ reply, clause });
  run.unverified.add(record);
}

/** Judges a refusal at the current version: a breach where the precondition of the mutation holds. */
async function judgeUnexpectedRefusal(
  run: ModelRun,
  record: ModelRecord,
  mutation: Mutation,
  reply: Reply,
  atCurrent: boolean,
  expected: string,
): Promise<void> {
  const { tracked } = record;
  const mustServe =
    atCurrent &&
    mutation.mustServe(currentVersionOf(tracked).record) &&
    isSettled(record) &&
    mutation.mayRefuse?.(tracked, reply) !== true;
  // Perhaps an earlier call had an effect it must not have had: then that call is at fault.
  if (mustServe && tracked.noEffectCalls.length > 0) await checkRecord(run, record);
  if (mustServe && !run.violated && !(await isToldGone(run, record, reply))) {
    run.judge({
      reply,
      clause: "*.endpoints.served",
      held: false,
      expected: `the call is served: version ${expected} is current`,
      actual: () => describeReply(reply),
      contradiction: () => ({ ...versionShown(record), says: `was refused at ${showJson(expected)}` }),
    });
  }
  // What is refused at the current version, for its state, says nothing of versions by what it does all the same.
  tracked.noEffectCalls.push({ reply, clause: atCurrent ? "*.records.agree" : "*.versioning.expected" });
  run.unverified.add(record);
}

/** Whether a record that may be gone is: a refusal tells it as not found, or, where it says something else, a read does. */
async function isToldGone(run: ModelRun, record: ModelRecord, reply: Reply): Promise<boolean> {
  const { mayBeGone } = record.tracked;
  if (mayBeGone === undefined) return false;
  if (isRefusedFor(reply, "RESOURCE_NOT_FOUND", "not_found")) mayBeGone.toldBy ??= reply;
  else if (mayBeGone.toldBy === undefined) await checkRecord(run, record);
  return mayBeGone.toldBy !== undefined;
}
