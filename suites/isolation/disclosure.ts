import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case.ts";
import type { CaseContext } from "../../harness/context.ts";
import { isAsBefore, readRowOf, recordIn, type Subject, subjectFieldOf } from "../../harness/given/subject.ts";
import { instantOf, showJson } from "../../harness/json.ts";
import { type Attempt, judgeRefusals, onlyReads } from "../../harness/refusals.ts";
import { bodyOf } from "../../harness/wire/exchange.ts";
import { isObject, type Reply } from "../../harness/wire/reply.ts";
import { Effect, type FactField, type RpcRow } from "../../proto/rpcs.ts";

/** The clause a call into another workspace breaks, by what the RPC does. */
function clauseOf({ effect, subject }: RpcRow, { facts }: FactField): string {
  const works = facts.names !== subject && facts.names !== "customer_user";
  if (works || effect === Effect.CREATE) return "*.isolation.reference";
  if (effect === Effect.READ) return "*.isolation.read";
  return effect === Effect.WATCH ? "*.isolation.stream" : "*.isolation.mutate";
}

/** Kinds that are everybody's, or are no record of a workspace. */
const common = new Set(["workspace", "app", "app_version", "mini_app", "tool", "external_user", "oauth_login_request"]);

/** Fields that name one record of a workspace each, that a stranger has one of. */
function fieldsOf(row: RpcRow): readonly FactField[] {
  return row.ids.filter(({ name, facts }) => {
    if (facts.filter || common.has(facts.names)) return false;
    const own = name === subjectFieldOf(row);
    return own || readRowOf(facts.names, row.package) !== undefined;
  });
}

/** Texts of a record that chance does not bring about, and that a caller who may not read it cannot know. */
function telling(record: JsonObject, known: ReadonlySet<string>): readonly string[] {
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

/** Judges that a refusal shows nothing of the record it was asked for but what the request itself says. */
async function judgeDisclosure(
  { judge, given, row }: CaseContext,
  reply: Reply,
  victim: Subject,
  clause: string,
): Promise<void> {
  const { response } = reply.exchange;
  if (reply.outcome !== "refused" || response === undefined) return;
  const known = new Set([...textsIn(reply.request), ...textsIn(given.tenant())]);
  const body = Buffer.from(bodyOf(response)).toString("utf8").toLowerCase();
  const text = `${body}\n${JSON.stringify([...response.headers, ...response.trailers]).toLowerCase()}`;
  const { tenant } = await given.stranger(row);
  const shown = telling({ ...tenant, ...victim.within, ...victim.record }, known).find((one) =>
    text.includes(one.toLowerCase()),
  );
  judge(reply, clause).satisfies(
    shown === undefined,
    "a refusal that shows nothing of the record",
    `it holds "${shown}"`,
  );
}

/** A refusal without what differs from call to call. */
function formOf(reply: Reply, ids: readonly JsonValue[]): string {
  if (reply.outcome !== "refused") return reply.outcome;
  const { status, code, reason, message } = reply.error;
  const plain = ids.flatMap(textsIn).reduce((rest, id) => rest.replaceAll(id, "ID"), message);
  return [status, code, reason ?? "", plain].join(" ");
}

function valueFor(field: FactField, id: JsonValue): JsonValue {
  return field.field.fieldKind === "list" ? [id] : id;
}

export const foreignIds = defineRule({
  id: "isolation/foreign-ids-disclose-nothing",
  says: "an id of another workspace's record, in any one field of a call, is refused, shows nothing of it and leaves it alone",
  clauses: ["*.isolation.read", "*.isolation.stream", "*.isolation.mutate", "*.isolation.reference"],
  rows: (row) => row.list === undefined && fieldsOf(row).length > 0,
  async run(context) {
    const { row, given, random, note } = context;
    const fields = fieldsOf(row);
    const victims = await Promise.all(fields.map(({ facts }) => given.foreign(facts.names)));
    const fresh = () => (row.requestId === undefined ? {} : { [row.requestId.name]: given.requestId() });
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
      });
      return [
        attempt(victim.id, `its ${field.name} names a ${victim.kind} of another workspace`),
        { ...attempt(unknown, `its ${field.name} names nothing`), clause: "*.errors.not-found" },
      ];
    });
    const replies = await judgeRefusals(context, () => attempts);
    for (const [index, field] of fields.entries()) {
      const [victim, foreign, nothing] = [victims[index], replies[2 * index], replies[2 * index + 1]];
      if (victim === undefined || foreign === undefined || nothing === undefined) continue;
      await judgeDisclosure(context, foreign, victim, clauseOf(row, field));
      const ids = [victim.id, unknown];
      const alike = formOf(foreign, ids) === formOf(nothing, ids);
      note("*.open.foreign-answer", `a foreign ${field.name} is answered ${alike ? "as" : "unlike"} an unknown one`);
      if (!onlyReads(row) && field.facts.names === row.subject) await judgeUnharmed(context, foreign, victim);
    }
  },
});

/** Reads a stranger's record as the stranger, and judges that it is what it was. */
async function judgeUnharmed({ row, given, call, judge }: CaseContext, refused: Reply, victim: Subject): Promise<void> {
  const read = readRowOf(victim.kind, row.package);
  if (read === undefined || !victim.steady) return;
  const { key, tenant } = await given.stranger(read);
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
  if (reply.outcome !== "served") return;
  judge(refused, "*.isolation.mutate", [reply]).satisfies(
    isAsBefore(row.package, victim, recordIn(reply)),
    `the record as it was, ${showJson(victim.record)}`,
    showJson(recordIn(reply)),
  );
}
