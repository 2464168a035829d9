import { RunState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { CredentialKind } from "../../../../proto/rpcs.ts";
import type { BetaContext } from "../../reference/beta/world.ts";
import { readField } from "../../reference/core/fields.ts";
import type { BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { requestIdOf } from "../idempotency/replays.ts";
import { faultsOf } from "../table.ts";

/** Streams of text that begin after another sequence than the one asked for. */
const beginningAfter = (other: (after: bigint, context: BetaContext) => bigint): BetaDecoration => ({
  parts: ({ follow }) => ({
    follow: (context, log, after) =>
      follow(context, log, context.row.method === "StreamRunText" ? other(after, context) : after),
  }),
});

/** The state of the run that is streamed. */
const stateOf = ({ subject }: BetaContext) => subject && (readField(subject, "state") as RunState);

/** Begins every stream of a run in a state at its first event. */
const fromTheFirstOf = (state: RunState) =>
  beginningAfter((after, context) => (stateOf(context) === state ? 0n : after));

/** Streams go on from where the first of their requestId began. */
function fromWhereItBegan(): BetaDecoration {
  const began = new Map<string, bigint>();
  return {
    parts: ({ follow }) => ({
      follow(context, log, after) {
        const key = `${context.row.method} ${requestIdOf(context)}`;
        const first = began.get(key) ?? after;
        began.set(key, first);
        return follow(context, log, first);
      },
    }),
  };
}

export const textPositionFaults: readonly Fault[] = faultsOf("stream", "beta.v1", {
  "*.text.after": {
    "StreamRunText-after-ignored-for-users": [
      "begins every stream of a browser token at the first event",
      beginningAfter((after, { principal }) => (principal?.kind === CredentialKind.BROWSER_TOKEN ? 0n : after)),
    ],
    "StreamRunText-after-ignored-of-failed": [
      "begins every stream of a failed run at the first event",
      fromTheFirstOf(RunState.FAILED),
    ],
    "StreamRunText-after-ignored-of-canceled": [
      "begins every stream of a canceled run at the first event",
      fromTheFirstOf(RunState.CANCELED),
    ],
    "StreamRunText-after-ignored-of-unknown": [
      "begins every stream of a run of unknown outcome at the first event",
      fromTheFirstOf(RunState.OUTCOME_UNKNOWN),
    ],
    "StreamRunText-after-ignored-while-awaiting-approval": [
      "begins every stream of a run that awaits an approval at the first event",
      fromTheFirstOf(RunState.AWAITING_APPROVAL),
    ],
    "StreamRunText-after-shown-again-while-running": [
      "begins a resumed stream of a run that goes on at the event it is to begin after",
      beginningAfter((after, context) => (stateOf(context) === RunState.RUNNING && after > 0n ? after - 1n : after)),
    ],
    "StreamRunText-after-of-the-first-of-its-request-id": [
      "begins every stream of one requestId where the first began",
      fromWhereItBegan,
    ],
    "StreamRunText-after-in-32-bits": [
      "cuts afterSequence to 32 bits",
      beginningAfter((after) => BigInt.asUintN(32, after)),
    ],
    "StreamRunText-after-with-a-sign": [
      "takes afterSequence for a number with a sign",
      beginningAfter((after) => BigInt.asIntN(64, after)),
    ],
  },
});

/** Watches that pass over afterSequence for some callers, or of some runs. */
const watchingFromTheFirst = (when: (context: BetaContext) => boolean): BetaDecoration => ({
  parts: ({ follow }) => ({
    follow: (context, log, after) =>
      follow(context, log, context.row.method === "WatchRun" && when(context) ? 0n : after),
  }),
});

export const watchPositionFaults: readonly Fault[] = faultsOf("stream", "beta.v1", {
  "*.watch.not-older": {
    "WatchRun-after-ignored-for-mcp-tokens": [
      "begins every watch of an mcpOAuthToken at the first event",
      watchingFromTheFirst(({ principal }) => principal?.kind === CredentialKind.MCP_OAUTH_TOKEN),
    ],
    "WatchRun-after-of-the-first-of-its-request-id": [
      "begins every watch of one requestId where the first began",
      fromWhereItBegan,
    ],
    "WatchRun-after-ignored-of-canceled": [
      "begins every watch of a canceled run at the first event",
      watchingFromTheFirst((context) => stateOf(context) === RunState.CANCELED),
    ],
  },
});
