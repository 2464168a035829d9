import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { differences } from "../../harness/oracles/agreement.ts";
import { createItems, turnOnMemory } from "../../harness/setup/beta/memory-item.ts";
import { inputFor } from "../../harness/setup/beta/run.ts";
import { createSession } from "../../harness/setup/beta/session.ts";
import { findRecord } from "../../harness/setup/listing.ts";
import { lookUntil } from "../../harness/setup/look-until.ts";
import { settle } from "../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { showJson } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { messageOf } from "../../proto/resources.ts";
import { CredentialKind } from "../../proto/rpcs.ts";
import { itemsOf, listItems } from "../lifecycle/memory/reads.ts";

/** The items of a bystander, as they were listed before somebody else's run. */
interface Bystander {
  readonly within: JsonObject;
  readonly items: readonly Subject[];
}

/** A run that remembers, and what became of the bystander's items by it. */
interface Outcome {
  readonly started: Reply;
  readonly last: readonly Reply[];
  /** How an item differs from what it was; undefined where all are as they were. */
  readonly changed: string | undefined;
  /** The run has left something of its own user's. */
  readonly remembered: boolean;
}

/** How often a change must be seen: what a target does with the items of a user by itself is not shown. */
const often = 2;

/** Starts a run of a new user that remembers something, and waits for its end. */
async function remember(context: CaseContext, kind: CredentialKind): Promise<readonly [Reply, JsonObject]> {
  const { row, setup, call, needs } = context;
  const made = await setup.fresh("customer_user");
  await turnOnMemory(context, made);
  const customerUserId = made.id;
  const user = { ...made, within: { customerUserId } };
  const session = await createSession(context, user);
  const input = inputFor(context, "memory");
  const fields = { customerUserId, sessionId: session.id, input };
  const as = await setup.credentialOfKind(kind, row, user);
  const started = await call(row, { ...(await setup.request(row, undefined)), ...fields }, { as });
  needs(started);
  await settle(context, { ...setup.subjectIn(started), within: { customerUserId }, changesOnlyByMutation: false });
  return [started, { customerUserId }];
}

/** How the items of the bystander differ from what they were. */
function changeIn(items: readonly Subject[], records: readonly JsonObject[]): string | undefined {
  const message = messageOf(listItems);
  for (const { id, record } of items) {
    const now = findRecord(records, listItems, id);
    if (now === undefined) return `${showJson(id)} is gone`;
    if (message !== undefined && differences(message, record, now).length > 0)
      return `before ${showJson(record)}, after ${showJson(now)}`;
  }
  return undefined;
}

async function tryOnce(context: CaseContext, { within, items }: Bystander, kind: CredentialKind): Promise<Outcome> {
  const [started, own] = await remember(context, kind);
  // Listings may lag: what is the user's own is listed no later than what it took from another.
  const { mine, theirs } = await lookUntil(
    context,
    async () => ({ mine: await itemsOf(context, own), theirs: await itemsOf(context, within) }),
    (seen) => seen.mine.records.length > 0,
  );
  for (const { replies } of [mine, theirs]) for (const reply of replies) context.needs(reply);
  const changed = changeIn(items, theirs.records);
  return { started, last: theirs.replies.slice(-1), changed, remembered: mine.records.length > 0 };
}

/** Tries it until the items of a bystander stay as they are, or have changed each time. */
async function tryOften(context: CaseContext, kind: CredentialKind): Promise<Outcome> {
  for (let tries = 1; ; tries += 1) {
    const items = await createItems(context, 1);
    const outcome = await tryOnce(context, { within: items[0]?.within ?? {}, items }, kind);
    if (outcome.changed === undefined || tries === often) return outcome;
  }
}

export const othersRemembered = defineCase({
  id: "isolation/run-leaves-what-others-remember",
  says: "a run that remembers something, started by its user's own token or by a key, leaves the memory items of another user as they are",
  clauses: ["beta.isolation.user-mutate", "beta.isolation.named-user"],
  rpc: "beta.v1.RunService/CreateRun",
  async run({ setup: { apart } }) {
    const context = await apart();
    const { judge } = context;
    let remembered = false;
    for (const kind of [CredentialKind.BROWSER_TOKEN, CredentialKind.BACKEND_KEY]) {
      const outcome = await tryOften(context, kind);
      remembered ||= outcome.remembered;
      const clause = kind === CredentialKind.BROWSER_TOKEN ? "*.isolation.user-mutate" : "*.isolation.named-user";
      if (outcome.changed === undefined && !outcome.remembered) continue;
      const held = judge(outcome.started, clause, outcome.last).satisfies(
        outcome.changed === undefined,
        "the memory items of another user as they were",
        outcome.changed ?? "as they were",
      );
      if (!held) return;
    }
    if (!remembered) throw new ChosenOtherwise("a run of a new user leaves nothing to remember");
  },
});
