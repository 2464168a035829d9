import { clone, type Message } from "@bufbuild/protobuf";
import { type Fault, rowsOf } from "../fault.ts";
import { requestIdOf } from "../idempotency/replays.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";

const issuing = rowsOf("beta.v1").filter((row) => row.plaintext.length > 0);

/** Takes a requestId for used once a call with it was refused: the call that is served after it counts as its replay. */
const refusalCounts = replacing((parts) => {
  const refused = new Set<string>();
  return {
    async pipeline(context, effect) {
      const id = requestIdOf(context);
      try {
        const reply = await parts.pipeline(context, effect);
        if (!refused.has(id)) return reply;
        const blank = Object.fromEntries(context.row.plaintext.map(({ field }) => [field.localName, ""]));
        return Object.assign(clone(context.row.output, reply as Message), blank);
      } catch (refusal) {
        refused.add(id);
        throw refusal;
      }
    },
  };
});

export const refusalsCounted: readonly Fault[] = faultsAt(issuing, {
  id: "secrecy/refusal-counts-as-first",
  says: "returns no plaintext once a call with the requestId was refused",
  breaks: "*.credentials.first",
  decorate: refusalCounts,
});

/** How long a fault remembers a requestId, in milliseconds: shorter than it takes to repeat a call by hand. */
const forgetsAfterMs = 1000;

export const soonForgotten: readonly Fault[] = faultsAt(
  // Another rotation at the same version is refused, whatever is remembered.
  issuing.filter((row) => row.expectedVersion === undefined),
  {
    id: "secrecy/forgets-after-a-second",
    says: "issues another credential under a requestId that was served a second before",
    breaks: "*.credentials.once",
    also: ["*.idempotency.one-effect"],
    decorate: () => ({ choices: { idempotencyLifetimeMs: forgetsAfterMs } }),
  },
);
