import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { changeOf } from "../../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { rpc } from "../../../proto/rpcs.ts";

const grantRow = rpc("beta.v1.CustomerUserService/CreateCustomerUserGrant");

/** Lists that a grant may be made without. */
const lists = ["allowedToolIds", "registeredOrigins"] as const;

/** Makes a grant without lists. Throws ChosenOtherwise where that is refused: which fields are required is not shown. */
async function grantWithout({ setup, call, needs }: CaseContext): Promise<Subject> {
  const request = await setup.request(grantRow, undefined);
  for (const name of lists) delete request[name];
  const reply = await call(grantRow, request);
  if (reply.outcome === "refused") throw new ChosenOtherwise("a grant without tools and origins is refused");
  needs(reply);
  const made = await setup.current(setup.subjectIn(reply));
  if (made === undefined) throw new Unproven("needs a grant that can be read");
  return made;
}

export const leftOut = defineCase({
  id: "lifecycle/grants-made-without-lists-share-none",
  says: "an update of a grant that was made without tools and origins leaves another one made so as it was",
  clauses: ["beta.records.agree"],
  rpc: "beta.v1.CustomerUserService/UpdateCustomerUserGrant",
  async run(context) {
    const { row, setup, call, judge, needs, target } = context;
    const updated = await grantWithout(context);
    const other = await grantWithout(context);
    const fields: JsonObject = {
      allowedToolIds: target.beta.toolIds.slice(0, 1).map((value) => ({ value })),
      registeredOrigins: ["https://shared.hallmark.invalid:8443"],
    };
    const reply = await call(row, { ...(await setup.request(row, updated)), ...fields });
    needs(reply);
    const now = await setup.current(other);
    const change = now && changeOf(row.package, other, now.record);
    judge(reply).satisfies(
      now !== undefined && change === undefined,
      `the grant of another user as it was${change === undefined ? "" : `: ${change.was}`}`,
      now === undefined ? "it is not there" : `${change?.is}`,
    );
  },
});
