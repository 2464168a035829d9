import { createHash } from "node:crypto";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineRule, rowsNamed } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { type FoundRecord, recordsIn } from "../../harness/oracles/records.ts";
import { findRecord, listAll } from "../../harness/setup/listing.ts";
import { lookUntil } from "../../harness/setup/look-until.ts";
import { nameFor } from "../../harness/setup/secret-name.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { isDefault } from "../../harness/wire/json.ts";
import { isObject, mayBeRefusedForRequest, type Reply } from "../../harness/wire/reply.ts";
import { messageOf, siblingsOf } from "../../proto/resources.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";
import { callCurrent } from "../common/current-call.ts";

/** Characters of a value that no other text of a record has by chance. */
const partLength = 6;

/** Characters of a hint, which other texts may have by chance: that they do twice, at the same place, is none. */
const hintLength = 4;

/** Fields by which a value would be shown. */
const valueFields = /^(plaintext|secret)?_?value$/i;

/** Lengths of values: neither is usual, and both are short, as how long a value may be is open. */
const [usualLength, otherLength] = [61, 53];

const digests = ["md5", "sha1", "sha256", "sha512"] as const;

/** Texts that tell a part or a digest of a value, by what they are. */
function tracesOf(value: string): ReadonlyMap<string, string> {
  const hashes = digests.flatMap((name) =>
    (["hex", "base64", "base64url"] as const).map((form) => {
      const digest = createHash(name).update(value).digest(form).replace(/=+$/, "");
      // A few of its characters are shown where a whole one is too long.
      return [digest.slice(0, 12).toLowerCase(), `its ${name}`] as const;
    }),
  );
  return new Map([
    [value.slice(0, partLength).toLowerCase(), "how it begins"],
    [value.slice(-partLength).toLowerCase(), "how it ends"],
    ...hashes,
  ]);
}

/** A value in a record: its path, its name, and whether it stands in a field that the contract has. */
interface Leaf {
  readonly at: string;
  readonly name: string;
  readonly value: JsonValue;
  readonly known: boolean;
}

/** Every value within a value. */
function leavesIn(value: JsonValue, at: string, known: boolean): readonly Leaf[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => leavesIn(item, `${at}[${index}]`, known));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) => [
    { at: `${at}.${name}`, name, value: item, known },
    ...leavesIn(item, `${at}.${name}`, known),
  ]);
}

/** Every value in a record. */
function leavesOf({ record, message, at }: FoundRecord): readonly Leaf[] {
  const fields = new Set(message.fields.map(({ jsonName }) => jsonName));
  return Object.entries(record).flatMap(([name, value]) => leavesIn({ [name]: value }, at, fields.has(name)));
}

/** What is told of a value in a record: where, and what. */
type Told = readonly [at: string, what: string];

/** The row that stores secrets, and the field it takes the value in. */
function storing({ row }: CaseContext): { readonly making: RpcRow; readonly field: string } {
  const making = siblingsOf(row).find(({ effect }) => effect === Effect.CREATE);
  const field = making?.writeOnly[0]?.name;
  if (making === undefined || field === undefined) throw new Error(`nothing stores a ${row.subject}`);
  return { making, field };
}

/** True where the RPC under test stores a value in a secret that has one. */
const isRotated = ({ row }: CaseContext) => row.writeOnly.length > 0 && row.effect !== Effect.CREATE;

/** Throws ChosenOtherwise where it is for its length that a value was refused: a usual one is served. */
async function explainRefusal({ setup, call }: CaseContext, making: RpcRow, length: number): Promise<void> {
  const usual = await call(making, await setup.request(making, undefined));
  if (usual.outcome === "served") throw new ChosenOtherwise(`the target refuses secret values of ${length} bytes`);
}

/** Stores a value of a length, and shows its record by the RPC under test. */
async function show(context: CaseContext, length: number) {
  const { row, run, random, setup, call, needs } = context;
  const { making, field } = storing(context);
  const draw = () => {
    const value = random.token(length);
    run.secrets.register(value, "a secret value", "secret value");
    return value;
  };
  const value = draw();
  // What is rotated to the value has another first: a rotation to the value it has may be refused. Neither may be told.
  const first = isRotated(context) ? draw() : value;
  const [bytes, firstBytes] = [value, first].map((one) => Buffer.from(one).toString("base64")) as [string, string];
  const fields = { name: await nameFor(context, making, "secret"), [field]: firstBytes };
  const made = await call(making, await setup.request(making, undefined, fields));
  if (mayBeRefusedForRequest(made)) await explainRefusal(context, making, length);
  needs(made);
  const subject = setup.subjectIn(made);
  const reply = row === making ? made : await shownBy(context, subject, { [field]: bytes });
  needs(reply);
  const found = recordsIn(reply).find(({ record }) => findRecord([record], row, subject.id) !== undefined);
  if (found === undefined) throw new Unproven(`needs ${row.name} to show the secret that was made`, reply);
  // The value itself, or much of it, is for another case to find.
  const leaves = leavesOf(found).filter(
    (one) => typeof one.value !== "string" || run.secrets.find(one.value).length === 0,
  );
  return { value, first, bytes, reply, leaves };
}

/** The reply of the RPC under test that shows a secret; `stored` are the fields of a rotation. */
async function shownBy(context: CaseContext, subject: Subject, stored: JsonObject): Promise<Reply> {
  const { row, setup, call } = context;
  if (isRotated(context)) return call(row, await setup.request(row, subject, stored));
  if (row.list === undefined) return callCurrent(context, subject);
  const isShown = (records: readonly JsonObject[]) => findRecord(records, row, subject.id) !== undefined;
  // A listing may lag.
  const list = async () => {
    const { records, replies } = await listAll(context, row, await setup.request(row, subject), {}, isShown);
    return { shown: isShown(records), reply: replies.at(-1) as Reply };
  };
  return (await lookUntil(context, list, ({ shown }) => shown)).reply;
}

type Shown = Awaited<ReturnType<typeof show>>;

/** Where fields that the contract does not have say how long a value is. */
function lengthsIn({ value, bytes, leaves }: Shown): readonly string[] {
  const lengths: readonly (JsonValue | undefined)[] = [value.length, bytes.length].flatMap((one) => [one, String(one)]);
  return leaves.filter((one) => !one.known && lengths.includes(one.value)).map(({ at }) => at);
}

/** A secret with a value of another length; undefined where the target takes none of that length, as it may. */
async function showOther(context: CaseContext): Promise<Shown | undefined> {
  try {
    return await show(context, otherLength);
  } catch (error) {
    if (error instanceof Unproven && error.reply?.outcome === "refused") return undefined;
    throw error;
  }
}

/** What a record tells of its value. That a number is its length by chance, another value of another length shows. */
async function toldBy(context: CaseContext, shown: Shown): Promise<readonly Told[]> {
  const traces = new Map([...tracesOf(shown.value), ...tracesOf(shown.first)]);
  const parts = shown.leaves.flatMap(({ at, value }): Told[] => {
    const text = typeof value === "string" ? value.toLowerCase() : "";
    const what = [...traces].find(([part]) => text.includes(part))?.[1];
    return what === undefined ? [] : [[at, what]];
  });
  const lengths = lengthsIn(shown);
  const hints = parts.length > 0 ? [] : hintsIn(shown);
  const other = lengths.length + hints.length === 0 ? undefined : await showOther(context);
  if (other === undefined) return parts;
  const length = inBoth(lengths, lengthsIn(other));
  const hint = inBoth(hints, hintsIn(other));
  return [
    ...parts,
    ...(length === undefined ? [] : [[length, "its length"] as const]),
    ...(hint === undefined ? [] : [[hint, `${hintLength} characters of it`] as const]),
  ];
}

/** The first of some places of a record that is one of another's, too. */
function inBoth(places: readonly string[], others: readonly string[]): string | undefined {
  const named = (at: string) => at.replaceAll(/\[\d+\]/g, "[]");
  return places.find((at) => others.some((other) => named(other) === named(at)));
}

/** Where a record tells how a value begins or ends, by few characters. */
function hintsIn({ value, first, leaves }: Shown): readonly string[] {
  const hints = [value, first].flatMap((one) => [one.slice(0, hintLength), one.slice(-hintLength)]);
  return leaves
    .filter((leaf) => typeof leaf.value === "string" && hints.some((hint) => String(leaf.value).includes(hint)))
    .map(({ at }) => at);
}

export const masked = defineRule({
  id: "secrecy/secret-record-tells-nothing-of-its-value",
  says: "the record of a secret has no value field, and tells no part, no length and no digest of the value",
  clauses: ["*.secrets.no-value", "*.secrets.traces"],
  rows: (row) => row.subject === "secret" && messageOf(row) !== undefined,
  smoke: rowsNamed("alpha.v1.SecretService/CreateSecret"),
  async run(context) {
    const { judge } = context;
    const shown = await show(context, usualLength);
    const field = shown.leaves.find((one) => !one.known && valueFields.test(one.name) && !isDefault(one.value));
    judge(shown.reply).satisfies(field === undefined, "no value field", `a field ${field?.name}`, field?.at);
    const told = await toldBy(context, shown);
    judge(shown.reply, "*.secrets.traces").satisfies(
      told.length === 0,
      "nothing that tells a part, the length or a digest of the value",
      `it tells ${told.map(([, what]) => what).join(", ")}`,
      told[0]?.[0],
    );
  },
});
