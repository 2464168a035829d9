import type { CaseContext } from "../case/context.ts";
import { orUndefined } from "../case/or-undefined.ts";
import type { Subject } from "../case/setup.ts";
import { Unproven } from "../case/unproven.ts";
import type { Reply } from "../wire/reply.ts";
import { subjectIn } from "./subject.ts";
import { deleteMade } from "./undo.ts";
import { creatingRow } from "./webhook-endpoint.ts";

/** An address that resolves nowhere (RFC 2606), each time a new one. */
export const addressNowhere = (): string => `https://hallmark.invalid/${crypto.randomUUID()}`;

/** What a run has learnt by asking for endpoints, and those that it got and has yet to delete. */
interface Learnt {
  readonly takes: boolean;
  readonly made: Subject[];
}

/** Asks for an endpoint at an address. How far readings lag, which takes endpoints to see, is not waited for. */
async function tryAddress(context: CaseContext, url: string, made: Subject[]): Promise<Reply> {
  const { setup, call } = context;
  const row = creatingRow(context);
  const baseUrl = await setup.homeUrl(row);
  const reply = await call(row, await setup.request(row, undefined, { url }), { baseUrl, unread: true });
  if (reply.outcome === "served") made.push({ ...subjectIn(reply), baseUrl });
  return reply;
}

async function learn(context: CaseContext): Promise<Learnt> {
  const made: Subject[] = [];
  try {
    const hook = (await context.run.receiver()).hook();
    hook.release();
    if ((await tryAddress(context, hook.url, made)).outcome !== "refused") return { takes: true, made };
    return { takes: (await tryAddress(context, addressNowhere(), made)).outcome !== "served", made };
  } catch (error) {
    // Where no endpoint can be asked for at all, who needs one says so.
    if (error instanceof Unproven) return { takes: true, made };
    throw error;
  }
}

/**
 * Whether the target takes the address of our receiver for an endpoint, learnt once by asking for one there and, where that
 * is refused, for one elsewhere. Which addresses a target takes is not shown: it may take https alone, or no loopback.
 * False where the target file has no receiver.
 */
export async function takesReceiver(context: CaseContext): Promise<boolean> {
  const { run, row, setup, target } = context;
  if (target.settings.webhooks === undefined) return false;
  // Before it is asked once for all: who has no tenant is not to answer for who has one.
  setup.tenant();
  const { takes, made } = await run.once(`whether ${row.package} takes the receiver's address`, () => learn(context));
  // Nothing more is to be delivered to what was asked for. Whoever comes first deletes it; others need not wait.
  for (const one of made.splice(0)) await orUndefined(deleteMade(context, one));
  return takes;
}
