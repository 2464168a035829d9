import { distinguishingFieldOf } from "../../../../proto/resources.ts";
import { Change, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import { onRpc } from "../../reference/core/decoration.ts";
import { createChance } from "../chance.ts";
import type { Fault, SharedDecoration } from "../fault.ts";
import { creating, fault, idOf, isCountable, issuing, treating } from "./treatment.ts";

/** A request as it was written: the order of its keys and the defaults in it count. */
const written = (context: Context) => JSON.stringify(context.call.request);

/** Remembers requests by their text beside their requestId. */
const rememberingText = (row: RpcRow): SharedDecoration =>
  treating(
    row,
    () => (_context, _effect, standard) => standard(),
    (parts) => ({
      idempotencyKey: onRpc(
        row.name,
        parts.idempotencyKey,
        (context: Context) => `${parts.idempotencyKey(context)} ${written(context)}`,
      ),
    }),
  );

/** A request under its requestId is another one where it is written otherwise: it is done again. */
export const byText: readonly Fault[] = creating.map((row) =>
  fault(
    row,
    "remembers-its-text",
    "makes another resource for a request that is written otherwise",
    "*.idempotency.one-effect",
    rememberingText(row),
  ),
);

/** A request that is written otherwise issues another credential. */
export const plaintextByText: readonly Fault[] = issuing
  .filter((row) => row.expectedVersion === undefined)
  .map((row) =>
    fault(
      row,
      "issues-for-its-text",
      "issues another credential for a request that is written otherwise",
      "*.credentials.once",
      rememberingText(row),
      ["idempotency.one-effect"],
    ),
  );

/** Rows that start work, or make what hangs on something else: their copies bear no name of their own. */
const nameless = creating.filter((row) => distinguishingFieldOf(row) === undefined);

/** A replay is answered as before, and done again behind the reply. */
export const ghosts: readonly Fault[] = nameless.map((row) =>
  fault(
    row,
    "does-replays-in-secret",
    "does a replay again though it answers it with the first reply",
    "*.idempotency.one-effect",
    treating(row, () => {
      const served = new Set<string>();
      return async (context, effect, standard) => {
        const reply = await standard();
        if (served.has(idOf(context))) await effect();
        served.add(idOf(context));
        return reply;
      };
    }),
  ),
);

/** Each replay of a redelivery sends its event again. */
export const redeliveries: readonly Fault[] = rpcs
  .filter(({ change }) => change === Change.REDELIVERS)
  .map((row) => {
    const again = new Set<Context>();
    return fault(
      row,
      "sends-for-each-replay",
      "sends the event once for each call with one requestId",
      "*.idempotency.one-effect",
      treating(
        row,
        () => {
          const served = new Set<string>();
          return async (context, effect, standard) => {
            if (!served.has(idOf(context))) {
              served.add(idOf(context));
              return standard();
            }
            again.add(context);
            return await effect();
          };
        },
        (parts) => ({
          checkVersion: onRpc(row.name, parts.checkVersion, (context: Context) => {
            if (!again.has(context)) parts.checkVersion(context);
          }),
        }),
      ),
    );
  });

/** One replay in twenty is taken for a new request. */
export const forgetfulAtTimes: readonly Fault[] = [
  ...creating.filter(isCountable).map((row) => ({ row, clause: "idempotency.one-effect" })),
  ...issuing.filter((row) => row.expectedVersion === undefined).map((row) => ({ row, clause: "credentials.once" })),
].map(({ row, clause }) => {
  const slips = createChance(0.05);
  return fault(
    row,
    `slips-at-${clause}`.replaceAll(".", "-"),
    "takes one replay in twenty for a new request",
    `*.${clause}`,
    treating(row, () => {
      const served = new Set<string>();
      return async (context, effect, standard) => {
        const known = served.has(idOf(context));
        served.add(idOf(context));
        return known && slips() ? await effect() : await standard();
      };
    }),
  );
});
