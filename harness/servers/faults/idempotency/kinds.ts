import { ChangesItself, Effect, type RpcRow } from "../../../../proto/rpcs.ts";
import { type Context, principalOf } from "../../reference/core/context.ts";
import type { CoreParts } from "../../reference/core/parts.ts";
import { type Fault, rowsOf } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { multiplying, plaintextToo, requestIdOf } from "./replays.ts";

const severalKinds = (row: RpcRow) => row.credentials.length > 1;

/** Whether a call is by another kind of credential than the first that its row names. */
const byAnotherKind = (context: Context) => principalOf(context).kind !== context.row.credentials[0];

/** Knows no requestId of a call by another kind of credential. */
const anewForAKind = ({ idempotent }: CoreParts): Pick<CoreParts, "idempotent"> => ({
  idempotent: async (context, effect) => (byAnotherKind(context) ? await effect() : await idempotent(context, effect)),
});

export const createdAnewForAKind: readonly Fault[] = faultsAt(
  rowsOf("beta.v1").filter((row) => severalKinds(row) && multiplying.includes(row)),
  {
    id: "idempotency/creates-anew-for-another-kind",
    says: "takes replays by another kind of credential than the first for new requests",
    breaks: "*.idempotency.one-effect",
    entails: plaintextToo,
    decorate: replacing(anewForAKind),
  },
);

/** Changes whose effects the version of the record counts. */
const changing = (row: RpcRow) => row.effect === Effect.UPDATE && row.changesItself !== ChangesItself.BY_WORK;

export const changedAnewForAKind: readonly Fault[] = faultsAt(
  rowsOf("beta.v1").filter((row) => severalKinds(row) && changing(row) && row.subject !== "webhook_delivery"),
  {
    id: "idempotency/changes-anew-for-another-kind",
    says: "acts on replays by another kind of credential than the first, and does not ask for the version then",
    breaks: "*.idempotency.one-effect",
    also: ["*.versioning.expected"],
    entails: plaintextToo,
    decorate: replacing((parts) => {
      const served = new Set<string>();
      return {
        ...anewForAKind(parts),
        checkVersion(context) {
          const isReplay = byAnotherKind(context) && served.has(requestIdOf(context));
          if (!isReplay) parts.checkVersion(context);
          served.add(requestIdOf(context));
        },
      };
    }),
  },
);
