import type { Message } from "@bufbuild/protobuf";
import { rpc } from "../../../../proto/rpcs.ts";
import type { Fault } from "../fault.ts";
import { idIn, wrapping } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** Streams under one requestId show the run that the first of them was asked for. */
export const firstRuns: readonly Fault[] = faultsAt(
  ["beta.v1.RunService/StreamRunText", "beta.v1.RunService/WatchRun"].map(rpc),
  {
    id: "stream/shows-the-first-run-of-its-request-id",
    says: "shows the run that was streamed first under a requestId, whichever is asked for",
    breaks: "*.watch.subject",
    decorate: wrapping((next) => {
      const first = new Map<string, Message | undefined>();
      return (context, request) => {
        const id = idIn(request, "requestId");
        const subject = first.get(id) ?? context.subject;
        first.set(id, subject);
        return next({ ...context, subject }, request);
      };
    }),
  },
);
