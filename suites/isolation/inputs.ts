import type { JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { listAt } from "../../harness/wire/json.ts";
import { readRowOf } from "../../proto/resources.ts";
import { Effect, type FactField, type RpcRow } from "../../proto/rpcs.ts";
import { type Attempt, judgeRefusals } from "../common/refusals.ts";
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

export const foreignInputs = defineRule({
  id: "isolation/inputs-of-another-workspace-are-refused",
  says: "an artifact, secret, session, run or customer user of another workspace is not accepted as an input",
  clauses: ["*.isolation.reference"],
  rows: (row) => inputs(row).length > 0,
  async run(context) {
    const foreign = await Promise.all(
      inputs(context.row).map(async (input) => ({ input, value: await foreignInput(context, input) })),
    );
    const attempt = ({ name, facts }: FactField, value: JsonValue, how = ""): Attempt => ({
      because: `${name} names a ${facts.names} of another workspace${how}`,
      changes: { ...freshRequestId(context.row, context.setup), [name]: value },
      input: true,
    });
    const used = await Promise.all(
      inputs(context.row).map(async (input) => ({ input, used: await usedInput(context, input) })),
    );
    const behindOwn = foreign.filter(({ input }) => input.field.fieldKind === "list");
    await judgeRefusals(context, async () => [
      ...foreign.map(({ input, value }) => attempt(input, value)),
      ...used.flatMap(({ input, used }) =>
        used === undefined ? [] : [attempt(input, input.field.fieldKind === "list" ? [used.id] : used.id, used.how)],
      ),
      ...(
        await Promise.all(
          behindOwn.map(async ({ input, value }) => {
            const own = await context.setup.shared(input.facts.names);
            const further = (await orUndefined(context.setup.fresh(input.facts.names)))?.id ?? own.id;
            const list = value as JsonValue[];
            return [
              attempt(input, [own.id, ...list], ", behind one of its own"),
              attempt(input, [own.id, further, ...list], ", behind two of its own"),
            ];
          }),
        )
      ).flat(),
    ]);
  },
});
