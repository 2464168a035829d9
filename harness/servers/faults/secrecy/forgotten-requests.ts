import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Context } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";
import { Refusal } from "../../reference/core/refusal.ts";
import { type Fault, rowsOf } from "../fault.ts";
import { requestIdOf } from "../idempotency/replays.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** Calls that issue another credential once their requestId is forgotten: no version keeps them from it. */
const issuing = rowsOf("beta.v1").filter((row) => row.plaintext.length > 0 && row.expectedVersion === undefined);

const what = {
  says: "issues another credential under a requestId that was served",
  breaks: "*.credentials.once",
} as const;

/** Has the memory forget a requestId, whoever used it. */
function forget({ row, world, request }: Context): void {
  const id = requestIdOf({ row, request } as Context);
  for (const key of [...world.memories.keys()]) {
    if (key.includes(row.name) && key.endsWith(id)) world.memories.delete(key);
  }
}

type Reason = ConstructorParameters<typeof Refusal>[0];

/** Forgets a requestId once it refuses a call with it. */
const forgettingAt = (reasons: readonly Reason[]) =>
  replacing((parts) => ({
    async pipeline(context, effect) {
      try {
        return await parts.pipeline(context, effect);
      } catch (refusal) {
        if (refusal instanceof Refusal && reasons.includes(refusal.reason)) forget(context);
        throw refusal;
      }
    },
  }));

const refusals: readonly (readonly [where: string, reasons: readonly Reason[]])[] = [
  ["at-a-conflict", ["IDEMPOTENCY_CONFLICT"]],
  ["at-an-invalid-request", ["INVALID_ARGUMENT"]],
  ["at-a-caller-it-refuses", ["AUTHENTICATION_REQUIRED", "AUTHORIZATION_DENIED"]],
];

export const forgottenAtRefusals: readonly Fault[] = refusals.flatMap(([where, reasons]) =>
  faultsAt(issuing, { id: `secrecy/forgets-a-request-${where}`, ...what, decorate: forgettingAt(reasons) }),
);

/** Requests that a small memory holds. */
const remembered = 10;

/** Forgets the request that was remembered first once there are more than it holds. */
const rememberingFew = replacing((parts) => {
  const calls: Context[] = [];
  return {
    async idempotent(context, effect) {
      const reply = await parts.idempotent(context, effect);
      const id = requestIdOf(context);
      if (!calls.some((call) => requestIdOf(call) === id)) calls.push(context);
      const first = calls.length > remembered ? calls.shift() : undefined;
      if (first !== undefined) forget(first);
      return reply;
    },
  };
});

export const fewRemembered: readonly Fault[] = faultsAt(issuing, {
  id: "secrecy/remembers-ten-requests",
  ...what,
  decorate: rememberingFew,
});

/** Forgets a requestId once the credential that was issued under it is over. */
const forgettingOver = replacing((parts) => ({
  async idempotent(context, effect) {
    const known = context.world.memories.get(`${parts.idempotencyKey(context)} ${requestIdOf(context)}`);
    const reply = await known?.reply?.catch(() => undefined);
    const until = reply && (readField(reply, "expiresAt") as Parameters<typeof timestampMs>[0] | undefined);
    if (until !== undefined && timestampMs(until) <= context.world.clock.now()) forget(context);
    return parts.idempotent(context, effect);
  },
}));

export const forgottenOnceOver: readonly Fault[] = faultsAt(
  issuing.filter(({ method }) => method === "IssueBrowserToken"),
  { id: "secrecy/forgets-a-request-once-its-token-is-over", ...what, decorate: forgettingOver },
);
