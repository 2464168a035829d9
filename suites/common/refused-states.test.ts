import { expect, test } from "vitest";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { rpc } from "../../proto/rpcs.ts";
import { allowStateRefusal, isRefusedAsOver } from "./refused-states.ts";

const row = rpc("alpha.v1.ArtifactService/DeleteArtifact");
const reply = (outcome: string, error: object) => ({ row, outcome, error }) as unknown as Reply;
const refused = (reason: string | undefined, code = "failed_precondition") => reply("refused", { reason, code });
const made = (record: Record<string, string>) => ({
  kind: "artifact",
  id: null,
  record,
  version: "1",
  changesOnlyByMutation: true,
});
const pending = made({ state: "ARTIFACT_STATE_PENDING_UPLOAD" });

test.each([refused("FAILED_PRECONDITION", "aborted"), refused(undefined)])(
  "the state is named as the choice",
  (one) => {
    expect(() => allowStateRefusal(one, pending)).toThrow(
      "nothing to ask: DeleteArtifact is refused while the artifact is ARTIFACT_STATE_PENDING",
    );
  },
);

test.each([
  ["a mutation that is served", reply("served", {}), pending],
  ["another reason", refused("RESOURCE_VERSION_CONFLICT"), pending],
  ["a code that says nothing of states", refused(undefined, "aborted"), pending],
  ["a record without a state", refused("FAILED_PRECONDITION"), made({})],
])("%s is no choice of states", (_what, one, subject) => {
  expect(() => allowStateRefusal(one, subject)).not.toThrow();
});

const running = { ...made({ state: "RUN_STATE_RUNNING" }), kind: "run", changesOnlyByMutation: false };
const showing = (now: object | undefined) => ({ setup: { current: async () => now } }) as unknown as CaseContext;

test.each([
  ["has ended", true, refused("FAILED_PRECONDITION"), made({ state: "RUN_STATE_SUCCEEDED" })],
  ["is gone", true, refused("FAILED_PRECONDITION"), undefined],
  ["goes on", false, refused("FAILED_PRECONDITION"), running],
  [
    "has ended, for another reason",
    false,
    refused("RESOURCE_VERSION_CONFLICT"),
    made({ state: "RUN_STATE_SUCCEEDED" }),
  ],
])("what is refused about a run that %s may be for its end: %s", async (_what, expected, one, now) => {
  expect(await isRefusedAsOver(showing(now), one, running)).toBe(expected);
});
