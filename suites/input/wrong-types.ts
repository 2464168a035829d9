import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { type MalformedValue, malformedValues } from "../../harness/generate/malformed-values.ts";
import { sampleOf } from "../../harness/generate/sampling.ts";
import { dealt, oneOfEach } from "../../harness/generate/strata.ts";
import { wrongTypeValues } from "../../harness/generate/wrong-types.ts";
import { fillRequest } from "../../harness/setup/filled-request.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { showJson } from "../../harness/wire/json.ts";
import type { RpcRow } from "../../proto/rpcs.ts";
import { judgeRefusals } from "../common/refusals.ts";
import { judgeNoServerError } from "../common/server-error.ts";

const never = "json.request.wrong-type";
const lenient = "json.request.wrong-type-lenient";

/** Values for the fields of a row that no such field can hold, whatever it holds otherwise. */
interface MadeUp {
  /** Sent each time: what a check of one field by itself may let pass. */
  readonly always: readonly MalformedValue[];
  /** What stands for an id, of which a request has several, and which one piece of code reads in every field alike. */
  readonly others: readonly MalformedValue[];
}

const byRow = new Map<RpcRow, MadeUp>();

function madeUpFor(row: RpcRow): MadeUp {
  const known = byRow.get(row);
  if (known !== undefined) return known;
  // Read as an empty message, an array says that the field is absent: of these fields that changes what is served.
  const optional = new Set([row.requestId, ...row.filters].map((fact) => fact?.name));
  const ids = new Set([row.requestId, ...row.ids].map((fact) => fact?.name));
  const isAlways = ({ perField, name, field }: MalformedValue) =>
    perField === true ||
    !ids.has(field.split(".")[0] ?? "") ||
    (name === "empty-list-for-message" && optional.has(field));
  const all = row.input.fields.flatMap(malformedValues);
  const values = { always: all.filter(isAlways), others: all.filter((one) => !isAlways(one)) };
  byRow.set(row, values);
  return values;
}

const nameOf = ({ name }: MalformedValue) => name;

/** The row's share of the other values: all rows of its package together are sent every kind of them. */
function shareOf({ row, run }: CaseContext): readonly MalformedValue[] {
  const draws = run.draws.derive("values of a wrong type");
  const { others } = madeUpFor(row);
  const holders = new Map(row.peers.map((peer) => [peer, new Set(madeUpFor(peer).others.map(nameOf))]));
  const names = dealt(draws, holders, row, run.depth === "deep" ? Infinity : Math.ceil(run.propertyRuns / 40));
  const own = draws.derive(row.name);
  const due = oneOfEach(
    own,
    others.filter((one) => names.has(nameOf(one))),
    nameOf,
  );
  const more = Math.ceil(run.propertyRuns / 8) - due.length;
  return [
    ...due,
    ...sampleOf(
      own,
      others.filter((one) => !due.includes(one)),
      more,
    ),
  ];
}

/**
 * Every field is sent its right value in the wrong form each time, and what fits no such field. Of the many values that fit
 * no id each kind is sent to some row of the package in every run, and the same in a replay.
 */
export const wrongTypes = defineRule({
  id: "input/values-of-the-wrong-type-are-refused",
  says: "a request with a field of another JSON type, or out of its type's range, is refused and has no effect",
  clauses: [never, "json.request.malformed-answer", lenient, "*.endpoints.served"],
  rows: () => true,
  async run(context) {
    const { row, setup } = context;
    let hasLenient = false;
    const sendAll = async (clause: string) =>
      judgeRefusals(
        context,
        async (valid, subject) => {
          const filled = await fillRequest(setup, row, valid, subject);
          const values = [...wrongTypeValues(row.input, filled), ...madeUpFor(row).always, ...shareOf(context)];
          const attempts = values.map(({ field, value, why, level }) => {
            const fresh = freshRequestId(row, setup);
            const [name = ""] = field.split(".");
            return {
              because: `${field} is ${showJson(value)}, and ${why}`,
              clause: level === "protocol" ? never : lenient,
              request: {},
              options: { body: JSON.stringify({ ...filled, ...fresh, [name]: value }) },
            };
          });
          hasLenient = attempts.some((attempt) => attempt.clause === lenient);
          return attempts.filter((attempt) => attempt.clause === clause);
        },
        { oddForm: true },
      );
    // A value that is served moves the version, and what is sent with it is refused for that: those that some libraries pass go by
    // themselves.
    const replies = [...(await sendAll(never))];
    if (hasLenient) replies.push(...(await sendAll(lenient)));
    judgeNoServerError(context, replies, "json.request.malformed-answer");
  },
});
