import { rpc } from "../../proto/rpcs.ts";
import type { Exchange } from "../wire/exchange.ts";
import { createSemaphore } from "../wire/semaphore.ts";

/** What a piece of work made that cases share: it is undone at the end of a phase, or of the run. */
export interface Outliving {
  readonly trace: {
    /** What was made, with its id, as leftovers name it. */
    readonly undo: readonly { readonly what: string }[];
    readonly exchanges: readonly (Pick<Exchange, "rpc"> & {
      readonly request: Pick<Exchange["request"], "url" | "body">;
    })[];
  };
  /** When the work was done, in any unit that grows; undefined while it is not. */
  readonly doneAt: number | undefined;
  /** Undoes it. Never rejects. */
  undo(): Promise<void>;
}

/** Pieces of work that are undone at the same time, at most. */
const atOnce = 8;

const id = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi;
const idsIn = (text: string) => (text.match(id) ?? []).map((one) => one.toLowerCase());

/** The ids of what was made; undefined where something is among it that has none, such as a hook of the receiver. */
function madeBy({ trace }: Outliving): readonly string[] | undefined {
  const ids = trace.undo.map(({ what }) => idsIn(what));
  return ids.some((own) => own.length === 0) ? undefined : ids.flat();
}

/** The ids of what a piece of work asked about, which may depend on it. */
function askedAbout({ trace }: Outliving): readonly string[] {
  const texts = trace.exchanges.map(({ request }) => `${request.url} ${Buffer.from(request.body).toString("latin1")}`);
  return idsIn(texts.join(" "));
}

/** Whether it was given a credential to call with, such as a browser token: who calls with it need not name what it is of. */
function wasGivenCredential({ trace }: Outliving): boolean {
  return trace.exchanges.some(({ rpc: name }) => {
    if (name === undefined) return false;
    const { plaintext, record } = rpc(name);
    return plaintext.length > 0 && record === undefined;
  });
}

/**
 * Undoes all, several at once. What was asked about by work that was done later is undone after that, as a user is after its
 * sessions; so is what issued a credential, after all that may have called with it, and what has no id, after everything.
 */
export async function undoOutliving(all: readonly Outliving[]): Promise<void> {
  const last = ({ doneAt = Number.POSITIVE_INFINITY }: Outliving) => doneAt;
  // Of what is not done yet, the one begun last comes first.
  const order = all.toReversed().toSorted((one, other) => (last(one) === last(other) ? 0 : last(other) - last(one)));
  const slots = createSemaphore(atOnce);
  const undone: Promise<void>[] = [];
  const ofCallers: Promise<void>[] = [];
  const askers = new Map<string, Promise<void>[]>();
  for (const one of order) {
    const made = madeBy(one);
    const issuer = wasGivenCredential(one);
    const named = made?.flatMap((own) => askers.get(own) ?? []) ?? undone;
    const before = issuer ? [...ofCallers, ...named] : [...named];
    const undoing = Promise.all(before).then(() => slots.run(() => one.undo()));
    undone.push(undoing);
    if (!issuer) ofCallers.push(undoing);
    for (const asked of new Set(askedAbout(one))) askers.set(asked, [...(askers.get(asked) ?? []), undoing]);
  }
  await Promise.all(undone);
}
