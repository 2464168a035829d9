import type { Message } from "@bufbuild/protobuf";
import { WebhookDeliveryState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { Change, rpcs } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";
import type { CoreParts } from "../../reference/core/parts.ts";
import type { Fault } from "../fault.ts";
import { namedId, replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { findingAnywhere } from "./finding.ts";
import { entryNamed, isolationClause } from "./tenants.ts";

const redelivering = rpcs.filter(({ change }) => change === Change.REDELIVERS);

/** Other steps for a delivery that was sent again before. */
const onceSentAgain = (steps: (parts: CoreParts, isSentAgain: (context: Context) => boolean) => Partial<CoreParts>) =>
  replacing((parts) => {
    const sent = new Set<string>();
    return {
      ...steps(parts, (context) => sent.has(namedId(context) ?? "")),
      async pipeline(context, effect) {
        const reply = await parts.pipeline(context, effect);
        sent.add(namedId(context) ?? "");
        return reply;
      },
    };
  });

export const redelivered: readonly Fault[] = [
  ...faultsAt(redelivering, {
    id: "isolation/finds-what-was-sent-again-anywhere",
    says: "finds a delivery that was sent again before by its id, whatever its workspace",
    breaks: isolationClause,
    decorate: onceSentAgain((parts, isSentAgain) => ({
      findSubject(context) {
        const entry = isSentAgain(context) ? entryNamed(context) : undefined;
        return entry === undefined || entry.deleted ? parts.findSubject(context) : entry.record;
      },
    })),
  }),
  ...faultsAt(redelivering, {
    id: "isolation/finds-pending-deliveries-anywhere",
    says: "finds a delivery that is to be tried again by its id, whatever its workspace",
    breaks: isolationClause,
    decorate: (row) => ({
      // Both packages number it alike.
      ...findingAnywhere<Message>((delivery) => readField(delivery, "state") === WebhookDeliveryState.PENDING)(row),
      choices: { redeliveredStates: ["PENDING", "DELIVERED", "FAILED"] },
    }),
  }),
  ...faultsAt(redelivering, {
    id: "auth/asks-no-scope-for-what-was-sent-again",
    says: "asks for no scope to send a delivery again that was sent again before",
    breaks: "*.auth.scope",
    decorate: onceSentAgain((parts, isSentAgain) => ({
      authorizeScope(context) {
        if (!isSentAgain(context)) parts.authorizeScope(context);
      },
    })),
  }),
];
