import { isReadOnly, rpcs } from "../../../../proto/rpcs.ts";
import { type Fault, rowsOf } from "../fault.ts";
import { faultsAt } from "../table.ts";
import { answeringBeforeChecks, answeringFirst, creating, plaintextToo } from "./replays.ts";

/** What was served once is served to anybody who knows the requestId, before any other check. */
export const replayedToAnybody: readonly Fault[] = faultsAt(
  // Reads of beta.v1 carry a requestId too; there is nothing in them to repeat.
  rpcs.filter((row) => row.requestId !== undefined && !isReadOnly(row) && !row.stream),
  {
    id: "idempotency/replays-to-anybody",
    says: "replays a reply to whoever sends its requestId",
    breaks: "*.idempotency.unauthorized-replay",
    also: ["*.idempotency.tenant"],
    // Who is served has no credential that its RPC takes, and gets the plaintext again; what alpha.v1 answers to a replay is open.
    entails: (row) => ["*.auth.required", ...plaintextToo(row)],
    decorate: answeringBeforeChecks,
  },
);

/** The memory is shared by all workspaces, though only its own key gets so far. */
export const sharedByWorkspaces: readonly Fault[] = faultsAt(creating, {
  id: "idempotency/remembers-across-workspaces",
  says: "answers a requestId with what another workspace made under it",
  breaks: "*.idempotency.tenant",
  decorate: answeringFirst(() => ""),
});

/** A requestId is remembered for the app, whichever user it was sent for. */
export const sharedByUsers: readonly Fault[] = faultsAt(
  rowsOf("beta.v1").filter((row) => creating.includes(row) && row.ids.some((id) => id.facts.names === "customer_user")),
  {
    id: "idempotency/remembers-across-users",
    says: "answers a requestId with what was made under it for another user",
    breaks: "*.idempotency.tenant",
    decorate: answeringFirst(({ tenant }) => tenant.appId),
  },
);
