import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import { randomContent } from "../../harness/setup/alpha/content.ts";
import { stored } from "../../harness/setup/alpha/upload.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { listAt } from "../../harness/wire/json.ts";
import { readRowOf } from "../../proto/resources.ts";
import { Effect, type FactField, type RpcRow } from "../../proto/rpcs.ts";
import { type Attempt, judgeRefusals } from "../common/refusals.ts";
import { originalNameAttempts } from "../common/rewritten.ts";
import { endedJobs } from "../lifecycle/jobs/ended-jobs.ts";

/** Request fields that name inputs, besides the subject of the call. */
const inputs = (row: RpcRow) =>
  row.ids.filter(({ facts: { names, filter, recipient } }) => {
    if (filter || names === row.subject) return false;
    // The customer user gets what is created, or is handed something.
    if (names === "customer_user") return row.effect === Effect.CREATE || recipient;
    return readRowOf(names, row.package, row.peers)?.published === false;
  });

/** Another workspace's record for such a field; for a read, the record that the foreign subject itself names. */
async function foreignInput({ row, setup }: CaseContext, { name, field, facts }: FactField): Promise<JsonValue> {
  const one =
    row.effect === Effect.READ
      ? ((await setup.ofOtherTenant(row.subject)).record[name] ?? null)
      : (await setup.ofOtherTenant(facts.names)).id;
  return field.fieldKind === "list" ? [one] : one;
}

/** Another record of the other workspace for such a field, and what is said of it: it may be looked up where others are not. */
async function usedInput(context: CaseContext, { facts }: FactField): Promise<Used | undefined> {
  if (context.row.package !== "alpha.v1") return undefined;
  const there = context.setup.elsewhere();
  if (facts.names === "secret") {
    const rotated = await orUndefined(there.setup.fresh(facts.names).then((made) => there.setup.change(made)));
    return rotated && { id: rotated.id, how: ", which was rotated" };
  }
  if (facts.names !== "artifact") return undefined;
  const ended = await orUndefined(endedJobs(there));
  const [id] = (ended ?? []).flatMap(({ record }) => listAt(record, "resultArtifactIds"));
  return id === undefined ? undefined : { id, how: ", which a job resulted in" };
}

interface Used {
  readonly id: JsonValue;
  readonly how: string;
}

/** One of the caller's own artifacts that has the name of the foreign one; undefined for other kinds, or where no such name can be had. */
async function namesake(context: CaseContext, { facts }: FactField): Promise<JsonValue | undefined> {
  if (facts.names !== "artifact") return undefined;
  const { name = null } = (await context.setup.ofOtherTenant("artifact")).record;
  return (await orUndefined(stored(context, randomContent(context), { name })))?.artifact.id;
}

/** Lists in which a foreign input stands where who counts inputs, or looks at some of them alone, does not see it. */
async function hidden(
  context: CaseContext,
  input: FactField,
  foreign: readonly JsonValue[],
): Promise<readonly (readonly [how: string, ids: readonly JsonValue[]])[]> {
  const { names } = input.facts;
  const own = (await context.setup.shared(names)).id;
  const further = (await orUndefined(context.setup.fresh(names)))?.id ?? own;
  const named = await namesake(context, input);
  return [
    ["behind one of its own", [own, ...foreign]],
    ["behind two of its own", [own, further, ...foreign]],
    // Who keeps one result for the whole list keeps that of the last.
    ["before one of its own", [...foreign, own]],
    // Who looks for as many as are named may count one for two.
    ["named twice", [...foreign, ...foreign]],
    ...(named === undefined ? [] : [["behind one of its own of the same name", [named, ...foreign]] as const]),
  ];
}

/** The caller's own records for the other lists of inputs: who has looked at one list may look at no other. */
async function ownBeside({ row, setup }: CaseContext, input: FactField): Promise<JsonObject> {
  const others = inputs(row).filter(({ name, field }) => name !== input.name && field.fieldKind === "list");
  const own = others.map(
    async ({ name, facts }) => [name, [(await setup.shared(facts.names)).id]] as [string, JsonValue[]],
  );
  return Object.fromEntries(await Promise.all(own));
}

/** Calls that name another workspace's record as one input. */
async function attemptsAt(context: CaseContext, input: FactField): Promise<readonly Attempt[]> {
  const { row, setup } = context;
  const { name, facts, field } = input;
  const isList = field.fieldKind === "list";
  const attempt = (value: JsonValue, how = ""): Attempt => ({
    because: `${name} names a ${facts.names} of another workspace${how}`,
    changes: { ...freshRequestId(row, setup), [name]: value },
    input: true,
  });
  const value = await foreignInput(context, input);
  const used = await usedInput(context, input);
  const lists = isList ? await hidden(context, input, value as JsonValue[]) : [];
  const beside = isList ? await ownBeside(context, input) : {};
  const { changes, ...alone } = attempt(value, ", beside inputs of its own of another kind");
  return [
    attempt(value),
    ...(Object.keys(beside).length === 0 ? [] : [{ ...alone, changes: { ...changes, ...beside } }]),
    ...(used === undefined ? [] : [attempt(isList ? [used.id] : used.id, used.how)]),
    ...lists.map(([how, ids]) => attempt([...ids], `, ${how}`)),
  ];
}

export const foreignInputs = defineRule({
  id: "isolation/inputs-of-another-workspace-are-refused",
  says: "an artifact, secret, session, run or customer user of another workspace is not accepted as an input",
  clauses: ["*.isolation.reference"],
  rows: (row) => inputs(row).length > 0,
  async run(context) {
    await judgeRefusals(context, async (valid) => {
      const attempts = await Promise.all(inputs(context.row).map((input) => attemptsAt(context, input)));
      const renamed = attempts.flatMap((some) => originalNameAttempts(context, valid, some.slice(0, 1)));
      return [...attempts.flat(), ...renamed];
    });
  },
});
