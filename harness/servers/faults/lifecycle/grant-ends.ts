import { forRpc } from "../../reference/core/decoration.ts";
import { editAt } from "../edit.ts";
import { defineFault, type Fault } from "../fault.ts";

const rpc = "beta.v1.CustomerUserService/CreateCustomerUserGrant";

/** A time as a number of so many bits holds it, in units of so many milliseconds. */
const wrapped = (time: number, bits: number, unitMs: number) =>
  Number(BigInt.asIntN(bits, BigInt(Math.trunc(time / unitMs)))) * unitMs;

/** Ends that a column of a grant's table does not hold. */
const columns: readonly (readonly [what: string, says: string, bits: number, unitMs: number])[] = [
  ["ends-in-32-bits", "holds the end of a grant in 32 bits, as seconds", 32, 1000],
  ["ends-in-nanoseconds", "holds the end of a grant in 64 bits, as nanoseconds", 64, 1e-6],
];

export const narrowEnds: readonly Fault[] = columns.map(([what, says, bits, unitMs]) =>
  defineFault({
    id: `lifecycle/CreateCustomerUserGrant-${what}`,
    says,
    breaks: "*.records.echo",
    rpc,
    decoration: {
      reply: forRpc(rpc, (json) =>
        editAt(json, "customerUserGrant.expiresAt", (shown) => {
          const time = Date.parse(String(shown));
          const kept = Number.isNaN(time) ? time : wrapped(time, bits, unitMs);
          // What is held is shown as it was written.
          return Math.abs(kept - time) >= 1000 ? new Date(Math.trunc(kept)).toISOString() : shown;
        }),
      ),
    },
  }),
);
