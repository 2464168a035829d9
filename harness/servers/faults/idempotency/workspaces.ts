import { Effect, isReadOnly, rpcs } from "../../../../proto/rpcs.ts";
import type { Fault } from "../fault.ts";
import { faultsAt } from "../table.ts";
import { answeringFirst } from "./replays.ts";

/** Calls that make no record: changes of one, deletions, credentials and addresses. */
const others = rpcs.filter(
  (row) =>
    row.requestId !== undefined &&
    !row.stream &&
    !row.fixture &&
    !(row.effect === Effect.CREATE && row.record !== undefined) &&
    (!isReadOnly(row) || row.capabilityUrls.length > 0),
);

export const repeatedElsewhere: readonly Fault[] = faultsAt(others, {
  id: "idempotency/repeats-what-another-workspace-was-told",
  says: "answers a requestId with what another workspace was told under it",
  breaks: "*.idempotency.tenant",
  // The reply shows the other's record, and its plaintext each time; what alpha.v1 answers to a replay is open.
  entails: (row) =>
    row.package === "beta.v1" && row.plaintext.length > 0
      ? ["*.records.identity", "*.credentials.once"]
      : ["*.records.identity"],
  decorate: answeringFirst(() => ""),
});
