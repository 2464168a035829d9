import { createChance } from "../chance.ts";
import { type Fault, rowsOf } from "../fault.ts";
import { faultsAt } from "../table.ts";
import { comparingText, sometimesForgetting } from "./replays.ts";

/** Calls that issue a credential, and that no version keeps from issuing another. */
const issuing = rowsOf("beta.v1").filter((row) => row.plaintext.length > 0 && row.expectedVersion === undefined);

/** A request that is written otherwise issues another credential. */
export const issuedByText: readonly Fault[] = faultsAt(issuing, {
  id: "idempotency/issues-for-its-text",
  says: "issues another credential for a request that is written otherwise",
  breaks: "*.credentials.once",
  also: ["*.idempotency.one-effect"],
  decorate: comparingText,
});

/** One replay in twenty is taken for a new request. */
export const sometimesIssuedAnew: readonly Fault[] = faultsAt(issuing, {
  id: "idempotency/issues-anew-one-replay-in-twenty",
  says: "takes one replay in twenty for a new request",
  breaks: "*.credentials.once",
  decorate: (row) => sometimesForgetting(createChance(0.05))(row),
});
