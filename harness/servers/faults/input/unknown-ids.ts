import { create } from "@bufbuild/protobuf";
import { rpc } from "../../../../proto/rpcs.ts";
import { tenantKey } from "../../reference/core/context.ts";
import { Refusal } from "../../reference/core/refusal.ts";
import { inRequest } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt, faultsOf } from "../table.ts";
import { drop } from "../values.ts";

/** Takes an unknown id for the tenant's first record. */
export const anotherShown: readonly Fault[] = faultsAt(
  [
    "alpha.v1.SecretService/GetSecret",
    "alpha.v1.JobService/GetJob",
    "alpha.v1.ArtifactService/CreateArtifactDownload",
    "alpha.v1.JobService/WatchJob",
    "alpha.v1.WebhookService/GetWebhookEndpoint",
    "beta.v1.CustomerSecretService/GetSecret",
    "beta.v1.RunService/GetRun",
    "beta.v1.SessionService/GetSession",
    "beta.v1.WebhookService/GetWebhookEndpoint",
  ].map(rpc),
  {
    id: "input/unknown-id-shows-another",
    says: "answers an unknown id with another record",
    breaks: "*.errors.not-found",
    // An id of another workspace is as unknown as one that nobody has.
    entails: ["*.isolation.read"],
    decorate: replacing((parts) => ({
      findSubject(context) {
        try {
          return parts.findSubject(context);
        } catch (error) {
          const known = context.world.tables[context.row.subject]?.entries(tenantKey(context.tenant)) ?? [];
          const first = known.find((entry) => !entry.deleted);
          if (first === undefined || !(error instanceof Refusal)) throw error;
          return first.record;
        }
      },
    })),
  },
);

/** Leaves out of a request what it names but does not know. */
const leavingOut = (field: string) => inRequest(field, drop);

/** Deletes what does not exist. */
const deletingNothing = replacing((parts) => ({
  async pipeline(context, effect) {
    try {
      return await parts.pipeline(context, effect);
    } catch (error) {
      if (!(error instanceof Refusal) || error.reason !== "RESOURCE_NOT_FOUND") throw error;
      return create(context.row.output);
    }
  },
}));

export const unknownIdFaults: readonly Fault[] = faultsOf("input", "alpha.v1", {
  "*.errors.not-found": {
    "RunSync-unknown-secret-ignored": ["a secret that does not exist is passed over", leavingOut("secretIds")],
    "RunStream-unknown-secret-ignored": ["a secret that does not exist is passed over", leavingOut("secretIds")],
    "RunAsync-unknown-artifact-ignored": [
      "an input artifact that does not exist is passed over",
      leavingOut("inputArtifactIds"),
    ],
    "CreateArtifactUpload-upload-for-an-unknown-mini-app": [
      "an upload for a mini app that does not exist is accepted",
      inRequest("miniAppId", (id) => (String(id).startsWith("nothing-") ? "test-fixture" : id)),
    ],
    "DeleteSecret-unknown-secret-is-deleted": ["a secret that does not exist is deleted with success", deletingNothing],
  },
});
