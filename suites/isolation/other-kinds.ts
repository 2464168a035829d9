import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { subjectFieldOf } from "../../proto/resources.ts";
import { isReadOnly, type RpcRow } from "../../proto/rpcs.ts";
import { otherTenantOf } from "../common/both-tenants.ts";
import { isolationClause } from "../common/isolation-clause.ts";
import { judgePositiveControl } from "../common/refusals.ts";

/** Kinds of records, some in a state in which they name records of other kinds: a job its results, a result its job. */
const kinds = [
  "artifact",
  "artifact:result",
  "job:with-results",
  "secret",
  "webhook_endpoint:quiet",
  "webhook_delivery",
];

/** Those that a call which changes something is given: each is made for it alone. */
const kindsToChange = ["artifact", "job", "secret", "webhook_endpoint"];

/** Records of all kinds but the row's own: those that are only read are shared. A kind that the target does not have, or has not there, is left out. */
async function recordsOf(where: CaseContext): Promise<readonly Subject[]> {
  const { row, setup } = where;
  const asked = isReadOnly(row) ? kinds : kindsToChange;
  const others = asked.filter((kind) => kind.split(":")[0] !== row.subject);
  const make = (kind: string) => orUndefined(isReadOnly(row) ? setup.shared(kind) : setup.fresh(kind));
  return (await Promise.all(others.map(make))).filter((made) => made !== undefined);
}

/** Calls the row with the id of a record of another kind, and judges that it is refused. */
async function judgeOther(context: CaseContext, valid: JsonObject, where: CaseContext, made: Subject): Promise<void> {
  const { row, setup, call, judge } = context;
  const version = row.expectedVersion === undefined ? {} : { [row.expectedVersion.name]: made.version };
  const request = {
    ...valid,
    ...freshRequestId(row, setup),
    ...version,
    [subjectFieldOf(row) ?? ""]: made.id,
  };
  const clause = where === context ? "*.errors.not-found" : isolationClause(row);
  const whose = where === context ? "" : " of another workspace";
  const reply = await call(row, request, { baseUrl: made.baseUrl });
  judge(reply, clause).isRefused({ because: `it names a ${made.kind}${whose} where a ${row.subject} is to be named` });
}

/** RPCs that name one record of a workspace by its id. */
const namesOne = (row: RpcRow) =>
  row.package === "alpha.v1" && !row.published && row.resource !== undefined && subjectFieldOf(row) !== undefined;

export const otherKinds = defineRule({
  id: "isolation/ids-of-records-of-other-kinds-are-refused",
  says: "a call that names a record of another kind, of its own workspace or of another, is refused",
  clauses: ["*.errors.not-found", "*.isolation.read", "*.isolation.mutate", "*.isolation.stream"],
  rows: namesOne,
  async run(context) {
    const { row, setup } = context;
    const subject = await setup.subjectOf(row);
    const valid = await setup.request(row, subject);
    const places = [otherTenantOf(context), context].filter((where) => where !== undefined);
    for (const where of places)
      for (const made of await recordsOf(where)) await judgeOther(context, valid, where, made);
    await judgePositiveControl(context, subject);
  },
});
