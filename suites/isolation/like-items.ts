import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { sameDocument } from "../../harness/oracles/documents.ts";
import { createItems } from "../../harness/setup/beta/memory-item.ts";
import { findRecord } from "../../harness/setup/listing.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { showJson, textAt } from "../../harness/wire/json.ts";
import { CredentialKind, isReadOnly } from "../../proto/rpcs.ts";
import { otherTenantOf } from "../common/both-tenants.ts";
import { callCurrent } from "../common/current-call.ts";
import { itemsOf, listItems } from "../lifecycle/memory/reads.ts";

/** Somebody whose memory nothing in the case is about. */
interface Bystander {
  readonly who: string;
  readonly where: CaseContext;
  readonly items: readonly Subject[];
  /** What a backend key breaks that changes one of the items; a browser token changes nothing of any other user. */
  readonly byKey: string;
}

/** More than one item of a user: which of them has a key that others have, too, is not shown. */
const itemsEach = 2;

async function bystandersOf(context: CaseContext): Promise<readonly Bystander[]> {
  const elsewhere = otherTenantOf(context);
  const items = await createItems(context, itemsEach);
  const user: Bystander = { who: "another user", where: context, items, byKey: "*.isolation.named-user" };
  const foreign = elsewhere && (await orUndefined(createItems(elsewhere, itemsEach)));
  if (elsewhere === undefined || foreign === undefined) return [user];
  const who = "a user of another workspace or app";
  return [user, { who, where: elsewhere, items: foreign, byKey: "*.isolation.mutate" }];
}

const keyOf = ({ record }: Subject) => textAt(record, "key");

/** The item of somebody that has the key of another. */
const likeOf = (items: readonly Subject[], item: Subject) =>
  items.find((one) => keyOf(one) === keyOf(item) && keyOf(one) !== "");

/** The item as it is listed now, with the reply that shows it, or that it is gone. */
async function listed({ where }: Bystander, { id, within = {} }: Subject) {
  const { records, replies } = await itemsOf(where, within);
  return { record: findRecord(records, listItems, id), last: replies.slice(-1) };
}

/** Makes the call of the row about an item of a new user, and judges that items of others which have its key stay as they are. */
async function judgeLikes(context: CaseContext, others: readonly Bystander[], kind: CredentialKind): Promise<void> {
  const { row, setup, judge, needs } = context;
  const items = await createItems(context, itemsEach);
  const own = items.find((item) => others.some((other) => likeOf(other.items, item) !== undefined));
  if (own === undefined) throw new ChosenOtherwise("no two users have a memory item of one key");
  const as = await setup.credentialOfKind(kind, row, own);
  const likes = others.flatMap((other) => {
    const like = likeOf(other.items, own);
    return like === undefined ? [] : [{ other, like }];
  });
  const before = await Promise.all(likes.map(({ other, like }) => listed(other, like)));
  const reply = await callCurrent(context, own, { as });
  needs(reply);
  for (const [index, { other, like }] of likes.entries()) {
    // What a target does with the items of a user by itself is not shown.
    if (before[index]?.record === undefined) continue;
    const { record, last } = await listed(other, like);
    const isOwn = sameDocument(record?.valueJson, reply.request.valueJson);
    judge(reply, kind === CredentialKind.BROWSER_TOKEN ? "*.isolation.user-mutate" : other.byKey, last).satisfies(
      record !== undefined && !isOwn,
      `the item of ${other.who} that has the key ${keyOf(own)} as it was`,
      record === undefined ? "it is gone" : showJson(record),
    );
  }
}

export const likeItems = defineRule({
  id: "isolation/memory-items-of-one-key-are-told-apart",
  says: "a change or deletion of a user's memory item, by a key or by the user's own token, leaves the items of other users, workspaces and apps alone that have the same key",
  clauses: ["*.isolation.named-user", "*.isolation.user-mutate", "*.isolation.mutate"],
  rows: (row) => row.subject === "memory_item" && !isReadOnly(row),
  async run({ setup: { apart } }) {
    const context = await apart();
    const others = await bystandersOf(context);
    for (const kind of [CredentialKind.BROWSER_TOKEN, CredentialKind.BACKEND_KEY])
      await judgeLikes(context, others, kind);
  },
});
