import { rpc } from "../../../../proto/rpcs.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { onError } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { envelopeOf, isEndStream, onFrames } from "../stream-messages.ts";
import { faultsAt, faultsOf } from "../table.ts";

/** Refuses calls without a credential for another reason. */
const refusingAs = (reason: "INVALID_ARGUMENT" | "SPEC_INVALID") =>
  replacing((parts) => ({
    authenticate(context) {
      if (context.call.headers.authorization === undefined) refuse(reason, "something is missing");
      return parts.authenticate(context);
    },
  }));

export const wrongReasons: readonly Fault[] = [
  ...faultsOf("auth", "alpha.v1", {
    "*.auth.reasons": {
      "GetSecret-wrong-reason": ["refuses a missing credential for another reason", refusingAs("INVALID_ARGUMENT")],
    },
  }),
  ...faultsAt(["beta.v1.CustomerUserService/IssueBrowserToken", "beta.v1.MemoryService/GetMemorySettings"].map(rpc), {
    id: "auth/wrong-reason",
    says: "refuses a missing credential for another reason",
    breaks: "*.auth.reasons",
    decorate: refusingAs("SPEC_INVALID"),
  }),
];

export const credentialRepeated: readonly Fault[] = faultsAt(
  [
    "alpha.v1.JobService/ListJobs",
    "beta.v1.SessionService/ListSessions",
    "beta.v1.CustomerUserService/RevokeCustomerUserGrant",
    "beta.v1.RunService/GetRun",
  ].map(rpc),
  {
    id: "auth/repeats-the-credential",
    says: "repeats the credential it refuses in the error message",
    breaks: "*.auth.no-echo",
    entails: (row) => (row.package === "beta.v1" ? ["*.credentials.elsewhere"] : []),
    decorate: onError((error, { headers }) => ({ ...error, message: `not allowed: ${headers.authorization}` })),
  },
);

/** A message, then the stream as it was, where that begins with its end. */
const sendingFirst = (message: object) =>
  onFrames(async function* (frames) {
    let first = true;
    for await (const frame of frames) {
      if (first && isEndStream(frame)) yield envelopeOf(message);
      first = false;
      yield frame;
    }
  });

const sendsFirst = "sends a message before it refuses";
/** What is refused with data is served, whatever it is refused for. */
const refusedLate = ["*.auth.required", "*.auth.scope", "*.isolation.stream"];
const event = { event: { sequence: "1", occurredAt: "2026-01-01T00:00:00Z" } };

export const dataBeforeRefusal: readonly Fault[] = [
  ...faultsOf("auth", "alpha.v1", {
    "*.stream.refused-no-data": {
      "WatchJob-sends-before-it-refuses": [
        sendsFirst,
        sendingFirst({ heartbeat: { resourceVersion: "1", emittedAt: "2026-01-01T00:00:00Z" } }),
        { also: refusedLate },
      ],
    },
  }),
  ...faultsOf("auth", "beta.v1", {
    "*.stream.refused-no-data": {
      "WatchRun-sends-before-it-refuses": [sendsFirst, sendingFirst(event), { also: refusedLate }],
      "StreamRunText-sends-before-it-refuses": [sendsFirst, sendingFirst(event), { also: refusedLate }],
    },
  }),
];
