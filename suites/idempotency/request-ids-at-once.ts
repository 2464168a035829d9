import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { idIn } from "../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { type Batch, sendTogether } from "../../harness/wire/batch.ts";
import { isDefault, sameJson, textAt } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { CredentialKind, Effect, type RpcRow } from "../../proto/rpcs.ts";

/** Calls that make a record, or give out a credential, under a requestId. */
const makesSomething = (row: RpcRow) =>
  row.requestId !== undefined &&
  !row.stream &&
  row.effect === Effect.CREATE &&
  (row.record !== undefined || row.plaintext.length > 0);

/** A call of somebody else: who that is, what they ask for beside the requestId, and how. */
interface Stranger {
  readonly who: string;
  readonly request: JsonObject;
  readonly send: (request: JsonObject, batch: Batch) => Promise<Reply>;
}

/** What another workspace asks for of its own; undefined where the target file names none. */
async function otherWorkspace({ row, setup }: CaseContext): Promise<Stranger | undefined> {
  const { sharesKey } = await setup.otherTenant(row);
  if (sharesKey) return undefined;
  const elsewhere = setup.elsewhere();
  const request = await elsewhere.setup.request(row, undefined);
  return { who: "the other workspace", request, send: (asked, batch) => elsewhere.call(row, asked, { batch }) };
}

/** The same for another customer user of the app. */
async function otherUser({ row, setup, call }: CaseContext, request: JsonObject): Promise<Stranger | undefined> {
  if (!row.ids.some((id) => id.facts.names === "customer_user")) return undefined;
  const user = await setup.otherUser();
  const ofUsers = row.credentials.includes(CredentialKind.BROWSER_TOKEN);
  const options = ofUsers ? { as: await user.token(row) } : {};
  const fields = { ...request, ...user.fields };
  return { who: "the other user", request: fields, send: (asked, batch) => call(row, asked, { ...options, batch }) };
}

/** What a served reply gives out that is its caller's alone: the id of its record, and a credential. */
function givenBy({ row }: CaseContext, reply: Reply): readonly unknown[] {
  if (reply.outcome !== "served") return [];
  const credentials = row.plaintext.map(({ name }) => textAt(reply.json, name)).filter((text) => text !== "");
  const id = row.record === undefined ? undefined : idIn(reply);
  return [...credentials, ...(isDefault(id) ? [] : [id])];
}

export const atOnce = defineRule({
  id: "idempotency/request-id-is-tenant-scoped-at-once",
  says: "of calls with one requestId in two workspaces, or for two users, at the same time none is answered with what another made",
  clauses: ["*.idempotency.tenant", "*.endpoints.served"],
  rows: makesSomething,
  async run({ setup: { apart } }) {
    const context = await apart();
    const { row, setup, call, judge } = context;
    const request = await setup.request(row, undefined);
    const others = [await orUndefined(otherWorkspace(context)), await orUndefined(otherUser(context, request))];
    if (others.every((other) => other === undefined))
      throw new ChosenOtherwise("no other workspace, or user, has a credential of its own");
    for (const other of others) {
      if (other === undefined) continue;
      const { who, send } = other;
      const requestId = freshRequestId(row, setup);
      // Anew in each turn: a server may allow one run of a session at a time, and the one of the turn before may go on.
      const mine = { ...(await setup.request(row, undefined)), ...requestId };
      const theirs = { ...other.request, ...requestId };
      const replies = await sendTogether(4, (batch, index) =>
        index % 2 === 0 ? call(row, mine, { batch }) : send(theirs, batch),
      );
      const own = replies.filter((_, index) => index % 2 === 0);
      const given = own.flatMap((reply) => givenBy(context, reply));
      for (const reply of replies.filter((_, index) => index % 2 === 1)) {
        const shown = givenBy(context, reply).find((one) =>
          given.some((other) => sameJson(one as never, other as never)),
        );
        judge(reply, undefined, own).satisfies(
          reply.outcome !== "broken" && shown === undefined,
          `nothing that a call of ${who} did not make`,
          shown === undefined ? "no whole reply" : "what the same requestId made for the first caller at that time",
        );
      }
      if (own.every(({ outcome }) => outcome !== "served"))
        judge(await call(row, await setup.request(row, undefined)), "*.endpoints.served").isServed();
    }
  },
});
