import { clone, type Message } from "@bufbuild/protobuf";
import { Effect, rpcs } from "../../../../proto/rpcs.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { plaintextToo, requestIdOf } from "./replays.ts";

/** How long a call is under way before it is noted as done. */
const underWayMs = 10;

/** What was done is noted by whose it is; what is being done, by its requestId alone. */
const joiningByRequestId = replacing((parts) => {
  const underWay = new Map<string, Promise<Message>>();
  return {
    async idempotent(context, effect) {
      const id = requestIdOf(context);
      const other = underWay.get(id);
      if (other !== undefined) return clone(context.row.output, await other);
      const pause = new Promise<void>((resolve) => setTimeout(resolve, underWayMs));
      const served = pause.then(() => parts.idempotent(context, effect)) as Promise<Message>;
      underWay.set(id, served);
      return served.finally(() => underWay.delete(id));
    },
  };
});

export const joined: readonly Fault[] = faultsAt(
  rpcs.filter(
    (row) =>
      row.requestId !== undefined &&
      !row.stream &&
      row.effect === Effect.CREATE &&
      (row.record !== undefined || row.plaintext.length > 0),
  ),
  {
    id: "idempotency/answers-all-who-ask-at-once",
    says: "answers a requestId that is under way as it answers whoever sent it first, of whichever tenant",
    breaks: "*.idempotency.tenant",
    // All who ask at once get the plaintext.
    entails: plaintextToo,
    decorate: joiningByRequestId,
  },
);
