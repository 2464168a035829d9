import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { changedNothing } from "../../harness/case/expected-words.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { farFrom, numericVersion } from "../../harness/setup/integer.ts";
import { isRevisedUntouched } from "../../harness/setup/late-revision.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { changeOf, recordIn } from "../../harness/setup/subject.ts";
import { bodyOf } from "../../harness/wire/exchange.ts";
import { instantOf } from "../../harness/wire/json.ts";
import { isObject, type Reply } from "../../harness/wire/reply.ts";
import { readRowOf, subjectFieldOf } from "../../proto/resources.ts";
import { Effect, type FactField, isReadOnly, type RpcRow } from "../../proto/rpcs.ts";
import { filledAttempts } from "../common/filled-attempts.ts";
import { type Attempt, judgeRefusals } from "../common/refusals.ts";

/** The clause a call into another workspace breaks, by what the RPC does. */
function clauseOf({ effect, subject }: RpcRow, { facts }: FactField): string {
  const works = facts.names !== subject && facts.names !== "customer_user";
  if (works || effect === Effect.CREATE) return "*.isolation.reference";
  if (effect === Effect.READ) return "*.isolation.read";
  return effect === Effect.WATCH ? "*.isolation.stream" : "*.isolation.mutate";
}

/** Request fields that name one record of a workspace each, of kinds that another workspace has too. */
function fieldsOf(row: RpcRow): readonly FactField[] {
  return row.ids.filter(({ name, facts }) => {
    if (facts.filter) return false;
    if (name === subjectFieldOf(row)) return row.resource !== undefined && !row.published;
    return readRowOf(facts.names, row.package, row.peers)?.published === false;
  });
}

/** Distinctive texts of a record that a caller who may not read it cannot know. */
function distinctiveTexts(record: JsonObject, known: ReadonlySet<string>): readonly string[] {
  return Object.values(record).flatMap((value): string[] => {
    const text = isObject(value) && typeof value.value === "string" ? value.value : value;
    if (typeof text !== "string" || text.length < 12 || known.has(text)) return [];
    return instantOf(text) === undefined && !/^[A-Z0-9_]+$/.test(text) ? [text] : [];
  });
}

/** Every text in a value. */
function textsIn(value: JsonValue): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap((inner) => (inner === null ? [] : textsIn(inner))) : [];
}

/** The body, headers and trailers of a reply, in lower case. */
function answerOf({ exchange: { response } }: Reply): string {
  if (response === undefined) return "";
  const body = Buffer.from(bodyOf(response)).toString("utf8");
  return `${body}\n${JSON.stringify([...response.headers, ...response.trailers])}`.toLowerCase();
}

/**
 * Judges that a refusal shows nothing of the record but what the request itself says. Texts that are also in the refusal
 * of an id that names `nothing` do not count: `application/json`, say, may be the record's media type, too.
 */
async function judgeDisclosure(
  { judge, setup, row }: CaseContext,
  reply: Reply,
  nothing: Reply,
  victim: Subject,
  clause: string,
): Promise<void> {
  if (reply.outcome !== "refused") return;
  const known = new Set([...textsIn(reply.request), ...textsIn(setup.tenant())]);
  const [answer, plain] = [answerOf(reply), answerOf(nothing)];
  const { tenant } = await setup.otherTenant(row);
  const shown = distinctiveTexts({ ...tenant, ...victim.within, ...victim.record }, known).find(
    (one) => answer.includes(one.toLowerCase()) && !plain.includes(one.toLowerCase()),
  );
  judge(reply, clause).satisfies(
    shown === undefined,
    "a refusal that shows nothing of the record",
    `it holds "${shown}"`,
  );
}

/** A refusal without the ids that differ from call to call. */
function formOf(reply: Reply, ids: readonly JsonValue[]): string {
  if (reply.outcome !== "refused") return reply.outcome;
  const { status, code, reason, message } = reply.error;
  const plain = ids.flatMap(textsIn).reduce((rest, id) => rest.replaceAll(id, "ID"), message);
  return [status, code, reason ?? "", plain].join(" ");
}

/** What a refusal says of why, however it is worded. */
function reasonOf(reply: Reply): string {
  return reply.outcome === "refused" ? `${reply.error.status} ${reply.error.code} ${reply.error.reason ?? ""}` : "";
}

/** A field, another workspace's record that it names, and an id that names nothing. */
interface Named {
  readonly field: FactField;
  readonly victim: Subject;
  readonly unknown: JsonValue;
}

/** Attempts with a version that is not the record's, on the record and on what is not there; none where a call names no version of it. */
function staleAttempts({ row, setup }: CaseContext, { field, victim, unknown }: Named): readonly Attempt[] {
  const name = row.expectedVersion?.name;
  if (name === undefined || field.facts.names !== row.subject) return [];
  return [victim.id, unknown].map((id) => ({
    because: `its ${field.name} names nothing of its workspace, at a version that is not the record's`,
    changes: { ...freshRequestId(row, setup), [name]: String(farFrom(numericVersion(victim))), [field.name]: id },
    clause: clauseOf(row, field),
  }));
}

/**
 * Judges that another workspace's record is refused for the same reason at its version and at another. Whether it is unknown
 * or denied is open; who tells the one from the other has looked at the record, and says so.
 */
function judgeStale({ judge }: CaseContext, foreign: Reply, nothing: Reply, stale: readonly Reply[]): void {
  const [ofForeign, ofNothing] = stale;
  if (ofForeign?.outcome !== "refused" || ofNothing === undefined || foreign.outcome !== "refused") return;
  // A version may be refused for what it is.
  if (reasonOf(nothing) !== reasonOf(ofNothing)) return;
  judge(ofForeign, "*.isolation.version", [foreign]).satisfies(
    reasonOf(ofForeign) === reasonOf(foreign),
    `the refusal that the record's own version gets: ${reasonOf(foreign)}`,
    `${reasonOf(ofForeign)} at another version`,
  );
}

const conflict = "RESOURCE_VERSION_CONFLICT";

/** True where a reply refuses a version. */
const conflictOf = (reply: Reply) => reply.outcome === "refused" && reply.error.reason === conflict;

/**
 * Judges that another workspace's record is not refused for its version where it is named at none, or at its own: who says so
 * has compared it with something, and says that the record is there. What names nothing may be refused for its version, too.
 */
function judgeConflict({ judge }: CaseContext, foreign: Reply, nothing: Reply): void {
  if (foreign.outcome !== "refused" || nothing.outcome !== "refused" || conflictOf(nothing)) return;
  judge(foreign, "*.isolation.version", [nothing]).satisfies(
    !conflictOf(foreign),
    `a refusal for anything but its version, as an unknown id gets: ${reasonOf(nothing)}`,
    reasonOf(foreign),
  );
}

function valueFor(field: FactField, id: JsonValue): JsonValue {
  return field.field.fieldKind === "list" ? [id] : id;
}

export const foreignIds = defineRule({
  id: "isolation/ids-of-another-workspace-disclose-nothing",
  says: "a call with the id of another workspace's record, in any field, is refused, discloses nothing of it and leaves it unchanged",
  clauses: [
    "*.isolation.read",
    "*.isolation.stream",
    "*.isolation.mutate",
    "*.isolation.reference",
    "*.isolation.version",
  ],
  rows: (row) => row.list === undefined && fieldsOf(row).length > 0,
  async run(context) {
    const { row, setup, random, observe } = context;
    const fields = fieldsOf(row);
    const victims = await Promise.all(fields.map(({ facts }) => setup.ofOtherTenant(facts.names)));
    const fresh = () => freshRequestId(row, setup);
    const unknown = { value: random.uuidv7() };
    const attempts = fields.flatMap((field, index): Attempt[] => {
      const victim = victims[index];
      if (victim === undefined) return [];
      const version: JsonObject =
        row.expectedVersion === undefined || field.facts.names !== row.subject
          ? {}
          : { [row.expectedVersion.name]: victim.version };
      const attempt = (id: JsonValue, because: string): Attempt => ({
        because,
        changes: { ...fresh(), ...version, [field.name]: valueFor(field, id) },
        clause: clauseOf(row, field),
        input: field.field.fieldKind === "list",
      });
      return [
        attempt(victim.id, `its ${field.name} names a ${victim.kind} of another workspace`),
        { ...attempt(unknown, `its ${field.name} names nothing`), clause: "*.errors.not-found" },
      ];
    });
    const before = await Promise.all(
      fields.map(({ facts }, index) =>
        isReadOnly(row) || facts.names !== row.subject ? undefined : readByOwner(context, victims[index]),
      ),
    );
    const stale = fields.map((field, index) => {
      const victim = victims[index];
      return victim === undefined ? [] : staleAttempts(context, { field, victim, unknown });
    });
    const replies = await judgeRefusals(context, async (valid, subject) => {
      const foreign = attempts.filter((_, index) => index % 2 === 0);
      return [...attempts, ...stale.flat(), ...(await filledAttempts(context, valid, subject, foreign))];
    });
    for (const [index, field] of fields.entries()) {
      const [victim, foreign, nothing] = [victims[index], replies[2 * index], replies[2 * index + 1]];
      if (victim === undefined || foreign === undefined || nothing === undefined) continue;
      await judgeDisclosure(context, foreign, nothing, victim, clauseOf(row, field));
      const ids = [victim.id, unknown];
      const same = formOf(foreign, ids) === formOf(nothing, ids);
      observe("*.open.foreign-answer", `a foreign ${field.name} is answered ${same ? "as" : "unlike"} an unknown one`);
      const at = attempts.length + stale.slice(0, index).flat().length;
      judgeConflict(context, foreign, nothing);
      judgeStale(context, foreign, nothing, replies.slice(at, at + (stale[index]?.length ?? 0)));
      const read = before[index];
      if (read !== undefined) await judgeUnchanged(context, foreign, victim, read);
    }
  },
});

/** Another workspace's record as its owner reads it; undefined where it cannot be read, or changes by itself. */
async function readByOwner({ row, setup, call }: CaseContext, victim: Subject | undefined): Promise<Reply | undefined> {
  const read = victim && readRowOf(victim.kind, row.package);
  if (read === undefined || !victim?.changesOnlyByMutation) return undefined;
  const { key, tenant } = await setup.otherTenant(read);
  const own = Object.fromEntries(
    read.ids.flatMap(({ name, facts }) => {
      if (facts.names === "external_user") return [[name, victim.record[name] ?? ""]];
      return facts.names === victim.kind ? [[name, victim.id]] : [];
    }),
  );
  const request = { ...tenant, ...victim.within, ...own };
  const fields = new Set(read.input.fields.map(({ jsonName }) => jsonName));
  const asked = Object.fromEntries(Object.entries(request).filter(([name]) => fields.has(name)));
  const reply = await call(read, asked, { as: key, baseUrl: victim.baseUrl });
  return reply.outcome === "served" ? reply : undefined;
}

/** Judges that another workspace's record is unchanged after a refused call. */
async function judgeUnchanged(context: CaseContext, refused: Reply, victim: Subject, before: Reply): Promise<void> {
  const after = await readByOwner(context, victim);
  if (after === undefined) return;
  const known = { ...victim, record: recordIn(before) };
  const changed = changeOf(context.row.package, known, recordIn(after));
  if (changed !== undefined && (await isRevisedUntouched(context, known, changed.names))) return;
  context
    .judge(refused, "*.isolation.mutate", [before, after])
    .satisfies(changed === undefined, changedNothing.asItWas(`: ${changed?.was}`), `${changed?.is}`);
}
