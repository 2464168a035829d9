import { clone, type Message } from "@bufbuild/protobuf";
import { Effect } from "../../../../proto/rpcs.ts";
import type { Fault } from "../fault.ts";
import { wrapping } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { issuing } from "./replays.ts";

/** How long an issue takes, in milliseconds: who asks for the same meanwhile waits for it. */
const issueMs = 10;

/** What the same is asked for at once is issued once, whatever the requestIds. */
const joining = wrapping((next) => {
  const underWay = new Map<string, Promise<Message>>();
  return async (context, request) => {
    const asked = JSON.stringify({ ...context.call.request, requestId: null, by: context.principal?.id });
    const other = underWay.get(asked);
    if (other !== undefined) return clone(context.row.output, await other);
    const pause = new Promise<void>((resolve) => setTimeout(resolve, issueMs));
    const issued = pause.then(() => next(context, request)) as Promise<Message>;
    underWay.set(asked, issued);
    return issued.finally(() => underWay.delete(asked));
  };
});

/** Calls that come at once are taken for one: the same is looked up, and issued, once. */
export const issuedAtOnce: readonly Fault[] = faultsAt(
  issuing.filter(({ effect }) => effect === Effect.CREATE),
  {
    id: "secrecy/issues-one-to-all-who-ask-at-once",
    says: "gives one credential to all who ask for the same at once, whatever their requestIds",
    breaks: "*.credentials.reissue",
    decorate: joining,
  },
);
