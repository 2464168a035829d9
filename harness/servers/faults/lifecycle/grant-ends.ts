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

/** A server that shows the end of a grant otherwise than it was asked for, by the instant that it is. */
const showing = (what: string, says: string, shownFor: (time: number) => number): Fault =>
  defineFault({
    id: `lifecycle/CreateCustomerUserGrant-${what}`,
    says,
    breaks: "*.records.echo",
    rpc,
    decoration: {
      reply: forRpc(rpc, (json) =>
        editAt(json, "customerUserGrant.expiresAt", (shown) => {
          const time = Date.parse(String(shown));
          const kept = Number.isNaN(time) ? time : shownFor(time);
          // What is held is shown as it was written.
          return Math.abs(kept - time) >= 1000 ? new Date(Math.trunc(kept)).toISOString() : shown;
        }),
      ),
    },
  });

/** A time with the year that its week belongs to in the place of its own: that of the week's Thursday. */
function withYearOfWeek(time: number): number {
  const date = new Date(time);
  const thursday = new Date(time);
  thursday.setUTCDate(date.getUTCDate() + 4 - (date.getUTCDay() || 7));
  return date.setUTCFullYear(thursday.getUTCFullYear());
}

export const narrowEnds: readonly Fault[] = [
  ...columns.map(([what, says, bits, unitMs]) => showing(what, says, (time) => wrapped(time, bits, unitMs))),
  showing("ends-in-years-of-weeks", "writes the end of a grant with the year that its week belongs to", withYearOfWeek),
];
