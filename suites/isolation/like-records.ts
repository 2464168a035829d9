import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { type Content, randomContent } from "../../harness/setup/alpha/content.ts";
import { complete, stored, untilAvailable, uploaded } from "../../harness/setup/alpha/upload.ts";
import { callToCreate, create } from "../../harness/setup/create.ts";
import { lookUntil } from "../../harness/setup/look-until.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { Effect, isReadOnly, type RpcRow } from "../../proto/rpcs.ts";
import { actOn } from "../common/act-on.ts";

/** What a record of the other workspace and one of the run's own have in common: fields of their declaration, and an upload's bytes. */
export interface Alike {
  readonly fields: JsonObject;
  readonly content?: Content;
}

const creates = ({ effect, record }: RpcRow) => effect === Effect.CREATE && record !== undefined;

/** Fields by which records may be looked up, and which are unique in a tenant at most. */
const lookedUpBy: ReadonlySet<string> = new Set(["name", "url", "externalUserId"]);

const namesOf = ({ input }: RpcRow) =>
  input.fields.map(({ jsonName }) => jsonName).filter((name) => lookedUpBy.has(name));

/** What a record is made with that another workspace's may have, too: its name, its address, its content. */
export async function alike(context: CaseContext, making: RpcRow): Promise<Alike> {
  if (making.subject === "artifact")
    return { fields: { name: context.setup.name("artifact") }, content: randomContent(context) };
  const request = await context.setup.request(making, undefined);
  const names = namesOf(making).filter((name) => name in request);
  return { fields: Object.fromEntries(names.map((name) => [name, request[name] ?? null])) };
}

/** A record of the other workspace, and another one there that has nothing in common with what is done here. */
async function makeThere(where: CaseContext, making: RpcRow, { fields, content }: Alike): Promise<readonly Subject[]> {
  if (content === undefined) return Promise.all([create(where, making, fields), create(where, making)]);
  const both = [stored(where, content, fields), stored(where, randomContent(where))];
  return (await Promise.all(both)).map(({ artifact }) => artifact);
}

/** A record of the run's own workspace that is like the other's; undefined where it is refused. */
async function makeOwn(context: CaseContext, making: RpcRow, { fields, content }: Alike): Promise<Subject | undefined> {
  const { row, setup, target } = context;
  if (content === undefined) {
    const reply = await callToCreate(context, making, fields);
    return reply.outcome === "refused" ? undefined : setup.subjectIn(reply);
  }
  const own = (await orUndefined(uploaded(context, content, fields)))?.artifact;
  if (own === undefined || row.effect !== Effect.DELETE) return own;
  await complete(context, own);
  await untilAvailable(context, own, target.settings.patience.settleMs);
  return own;
}

/** Makes the call of the row about a record of the run's own workspace that is like the other's. */
async function act(context: CaseContext, making: RpcRow, common: Alike): Promise<Reply | undefined> {
  const { row, setup } = context;
  if (row === making) return callToCreate(context, row, { ...common.content?.declared, ...common.fields });
  const own = await makeOwn(context, making, common);
  if (own === undefined) return undefined;
  return actOn(context, (await setup.current(own)) ?? own);
}

/** A record as it is read once readings have caught up with what made it. */
export async function asRead(where: CaseContext, made: Subject): Promise<Subject> {
  const now = await lookUntil(
    where,
    () => where.setup.current(made),
    (seen) => seen?.version === made.version,
  );
  if (now === undefined) throw new Unproven(`needs a ${made.kind} of another workspace that can be read`);
  return now;
}

/** How often it is looked: what else goes on in the other workspace may change what is there. */
const tries = 3;

/** Calls about records which another workspace may have the like of. */
export const hasNames = (row: RpcRow) =>
  !row.fixture && row.peers.some((one) => one.subject === row.subject && creates(one) && namesOf(one).length > 0);

/** Those that make, change or delete one. */
export const mutatesNamed = (row: RpcRow) => !isReadOnly(row) && hasNames(row);

/** The row that makes what another one is about. */
export function makingOf({ peers, subject }: RpcRow): RpcRow {
  const making = peers.find((one) => one.subject === subject && creates(one));
  if (making === undefined) throw new Error(`nothing makes a ${subject}`);
  return making;
}

export const likeRecords = defineRule({
  id: "isolation/like-record-of-another-workspace-stays-as-it-is",
  says: "a call that makes, changes or deletes a record leaves one of another workspace as it is that has its name, its url or its content",
  clauses: ["*.isolation.mutate"],
  rows: mutatesNamed,
  async run(context) {
    const { row, setup, judge } = context;
    const making = makingOf(row);
    const where = setup.elsewhere();
    const look = where.setup.deleteOf(row.subject);
    const changed: { readonly reply: Reply; readonly seen: string }[] = [];
    for (let tried = 0; tried < tries; tried += 1) {
      const common = await alike(context, making);
      const made = await makeThere(where, making, common);
      const [like, other] = await Promise.all(made.map((one) => asRead(where, one)));
      if (like === undefined || other === undefined) return;
      const reply = await act(context, making, common);
      // Names may have to be unique, whosever they are, and content that is known may need no upload.
      if (reply === undefined || reply.outcome === "refused")
        throw new ChosenOtherwise(`${row.method} is refused where another has the name`);
      const [mine, unlike] = await Promise.all([like, other].map((one) => where.setup.effectOn(look, one)));
      if (mine?.visible !== true) return void judge(reply, "*.endpoints.served").isServed();
      if (unlike?.visible !== true) changed.push({ reply, seen: mine.seen });
    }
    const last = changed.at(-1);
    if (last === undefined || changed.length < tries)
      throw new Unproven(`needs a ${row.subject} of another workspace that nothing else changes`);
    judge(last.reply).satisfies(false, `the ${row.subject} of another workspace as it was`, last.seen);
  },
});
