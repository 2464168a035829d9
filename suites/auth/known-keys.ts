import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Credential } from "../../harness/wire/request.ts";
import { subjectFieldOf } from "../../proto/resources.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";

/** The RPC of the row's service by which a key without the row's scope becomes known: a listing, else the deletion of what can be made anew. */
function knowingRow({ service, scope, peers }: RpcRow): RpcRow | undefined {
  const others = peers.filter((one) => one.service === service && one.scope !== scope && !one.fixture);
  const isMade = (kind: string) => peers.some((one) => one.effect === Effect.CREATE && one.subject === kind);
  const isDeletion = (one: RpcRow) =>
    one.effect === Effect.DELETE && subjectFieldOf(one) !== undefined && isMade(one.subject);
  return others.find(({ effect }) => effect === Effect.LIST) ?? others.find(isDeletion);
}

/**
 * Prepares to make keys known to the service of the row by a call that they may make, where there is one: what a server found
 * out of a key for one RPC says nothing of the others. Of a record that it deletes the first key has a call alone.
 *
 * @returns makes the calls. What they are about is made before: work that ends is delivered, which may move other records.
 */
export async function prepareKnown(context: CaseContext, keys: readonly Credential[]): Promise<() => Promise<void>> {
  const { row, setup, call } = context;
  const known = knowingRow(row);
  if (known === undefined) return async () => {};
  const isDeletion = known.effect === Effect.DELETE;
  const subject = isDeletion ? await orUndefined(setup.subjectOf(known)) : await setup.subjectOf(known);
  if (isDeletion && subject === undefined) return async () => {};
  const request = await setup.request(known, subject);
  const baseUrl = setup.baseUrl(known, subject);
  const callers = isDeletion ? keys.slice(0, 1) : keys;
  return async () => void (await Promise.all(callers.map((as) => call(known, request, { as, baseUrl }))));
}
