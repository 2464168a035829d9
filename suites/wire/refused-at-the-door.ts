import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { isDefault, sameJson, showJson } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { deleteRowOf, subjectFieldOf } from "../../proto/resources.ts";
import type { RpcRow } from "../../proto/rpcs.ts";
import { unknownBearer } from "../common/unknown-key.ts";

/** Calls under way at a time: of several callers each has a worker of its own. */
const atOnce = 6;

/** How often the calls are made, with a key and then without one: a worker that served one caller serves another. */
const rounds = 2;

/** Calls that change nothing: the deletion of a secret that is not there. */
const deletesSecrets = (row: RpcRow) => row === deleteRowOf("secret", row.package, row.peers);

/** The requestId that a refusal names; undefined where it names none. */
function namedIn(reply: Reply) {
  const named = reply.outcome === "refused" ? reply.error.detail?.requestId : undefined;
  return isDefault(named) ? undefined : named;
}

/** Makes the call several times at once, each with a requestId of its own. */
async function callAtOnce({ row, setup, call, random }: CaseContext, as?: string): Promise<readonly Reply[]> {
  const valid = await setup.request(row, await setup.shared(row.subject));
  const id = { [subjectFieldOf(row) ?? ""]: { value: random.uuidv7() } };
  const options = as === undefined ? {} : { as };
  return Promise.all(
    Array.from({ length: atOnce }, () => call(row, { ...valid, ...id, ...freshRequestId(row, setup) }, options)),
  );
}

export const ownRequestId = defineRule({
  id: "wire/refusal-for-a-credential-names-no-other-request",
  says: "a refusal for its credential names the requestId of no other call, however many callers there are",
  clauses: ["*.errors.request-id"],
  rows: deletesSecrets,
  async run(context) {
    const { row, setup, judge, needs } = context;
    // The positive control: with the key a secret that is there is shown.
    needs(await setup.read(await setup.shared(row.subject)));
    const others: Reply[] = [];
    const refused: Reply[] = [];
    for (let round = 0; round < rounds; round += 1) {
      others.push(...(await callAtOnce(context)));
      refused.push(...(await callAtOnce(context, unknownBearer)));
    }
    for (const reply of refused) {
      const named = namedIn(reply);
      const own = reply.request.requestId;
      // An id that the target made up is its own affair: it need not have read the body.
      const strange = [...others, ...refused].find(
        (other) => other !== reply && sameJson(other.request.requestId, named),
      );
      judge(reply, undefined, strange === undefined ? [] : [strange]).satisfies(
        named === undefined || sameJson(named, own) || strange === undefined,
        `${showJson(own)}, or the id of no other call`,
        `${showJson(named)}, which another call has`,
        "detail.requestId",
      );
    }
  },
});
