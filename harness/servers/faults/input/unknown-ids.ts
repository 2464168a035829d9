import type { JsonObject } from "@bufbuild/protobuf";
import { rpc as rowOf } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import { forRpc, onRpc } from "../../reference/core/decoration.ts";
import { Refusal } from "../../reference/core/refusal.ts";
import type { AlphaDecoration, AlphaWorld } from "../../reference/main.ts";
import { editAt } from "../edit.ts";
import { defineFault, type Fault } from "../fault.ts";

type AlphaContext = Context<AlphaWorld>;

/** Takes unknown ids for known ones. */
function knowing(rpc: string): AlphaDecoration {
  const { subject } = rowOf(rpc);
  return {
    parts: (parts) => ({
      findSubject: onRpc(rpc, parts.findSubject, (context: AlphaContext) => {
        try {
          return parts.findSubject(context);
        } catch (error) {
          const [first] = context.world.tables[subject as keyof AlphaWorld["tables"]].entries(context.workspaceId);
          if (first === undefined || !(error instanceof Refusal)) throw error;
          return first.record;
        }
      }),
    }),
  };
}

/** Leaves out of a request what it names but does not know. */
const dropped = (rpc: string, field: string): AlphaDecoration => ({
  request: forRpc(rpc, (json: JsonObject) => editAt(json, field, () => undefined)),
});

const notFound = "alpha.errors.not-found";

export const unknownIdFaults: readonly Fault[] = [
  ...[
    "SecretService/GetSecret",
    "JobService/GetJob",
    "ArtifactService/CreateArtifactDownload",
    "JobService/WatchJob",
    "WebhookService/GetWebhookEndpoint",
  ].map((rpc) =>
    defineFault({
      id: `input/${rpc.slice(rpc.indexOf("/") + 1)}-unknown-id-shows-another`,
      says: `an unknown id shows another record (${rpc})`,
      breaks: notFound,
      rpc: `alpha.v1.${rpc}`,
      decoration: knowing(`alpha.v1.${rpc}`),
    }),
  ),
  ...(["RunSync", "RunStream"] as const).map((method) =>
    defineFault({
      id: `input/${method}-unknown-secret-ignored`,
      says: `a secret that does not exist is passed over (${method})`,
      breaks: notFound,
      rpc: `alpha.v1.PublicTestFixtureService/${method}`,
      decoration: dropped(`alpha.v1.PublicTestFixtureService/${method}`, "secretIds"),
    }),
  ),
  defineFault({
    id: "input/RunAsync-unknown-artifact-ignored",
    says: "an input artifact that does not exist is passed over (RunAsync)",
    breaks: notFound,
    rpc: "alpha.v1.PublicTestFixtureService/RunAsync",
    decoration: dropped("alpha.v1.PublicTestFixtureService/RunAsync", "inputArtifactIds"),
  }),
  defineFault({
    id: "input/upload-for-an-unknown-mini-app",
    says: "an upload for a mini app that does not exist is accepted (CreateArtifactUpload)",
    breaks: notFound,
    rpc: "alpha.v1.ArtifactService/CreateArtifactUpload",
    decoration: {
      request: forRpc("alpha.v1.ArtifactService/CreateArtifactUpload", (json: JsonObject) =>
        editAt(json, "miniAppId", (id) => (String(id).startsWith("nothing-") ? "test-fixture" : id)),
      ),
    },
  }),
  defineFault({
    id: "input/unknown-secret-is-deleted",
    says: "a secret that does not exist is deleted with success (DeleteSecret)",
    breaks: notFound,
    rpc: "alpha.v1.SecretService/DeleteSecret",
    decoration: {
      parts: (parts) => ({
        async pipeline(context, effect) {
          try {
            return await parts.pipeline(context, effect);
          } catch (error) {
            const isUnknown = error instanceof Refusal && error.reason === "RESOURCE_NOT_FOUND";
            if (!isUnknown || context.row.name !== "alpha.v1.SecretService/DeleteSecret") throw error;
            return { $typeName: "alpha.v1.DeleteSecretResponse", secretId: undefined } as Awaited<
              ReturnType<typeof parts.pipeline>
            >;
          }
        },
      }),
    },
  }),
];
