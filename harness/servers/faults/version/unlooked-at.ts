import { ApprovalDecision } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { CredentialKind, type RpcRow } from "../../../../proto/rpcs.ts";
import type { BetaPrincipal } from "../../reference/beta/keys.ts";
import type { Context } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";
import type { EitherDecoration, Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsOf } from "../table.ts";

/** Does not look at the version where a call is of a kind. */
export const unlookedAt = (when: (context: Context) => boolean): ((row: RpcRow) => EitherDecoration) =>
  replacing((parts) => ({
    checkVersion(context) {
      if (!when(context)) parts.checkVersion(context);
    },
  }));

const callsBy = (kind: CredentialKind) =>
  unlookedAt(({ principal }) => (principal as BetaPrincipal | undefined)?.kind === kind);

/** Mutations whose version is looked at for some calls alone. */
export const unlookedAtFaults: readonly Fault[] = faultsOf("version", "beta.v1", {
  "*.versioning.expected": {
    "DecideApproval-rejects-at-any-version": [
      "ignores the expected version of a rejection",
      unlookedAt(({ request }) => readField(request, "decision") === ApprovalDecision.REJECT),
    ],
    "RotateSecret-ignores-versions-of-browsers": [
      "ignores the expected version of a call with a browser token",
      callsBy(CredentialKind.BROWSER_TOKEN),
    ],
    "UpdateWebhookEndpoint-ignores-versions-of-idp-users": [
      "ignores the expected version of a call by an idpUser",
      callsBy(CredentialKind.IDP_USER),
    ],
  },
});
