import type { JsonObject } from "@bufbuild/protobuf";
import { type RpcRow, rpc } from "../../../../proto/rpcs.ts";
import { forRpc, type WireHooks } from "../../reference/core/decoration.ts";
import type { Fault } from "../fault.ts";
import { faultsAt } from "../table.ts";

/** Every reply about an id is the first one about it. */
function cachingForever(row: RpcRow): WireHooks {
  const first = new Map<string, JsonObject>();
  return {
    reply: forRpc(row.name, (json: JsonObject, call) => {
      const key = JSON.stringify(row.ids.map((id) => call.request[id.name] ?? null));
      const known = first.get(key) ?? json;
      first.set(key, known);
      return known;
    }),
  };
}

export const staleReads: readonly Fault[] = faultsAt(
  [
    "alpha.v1.SecretService/GetSecret",
    "alpha.v1.WebhookService/GetWebhookEndpoint",
    "alpha.v1.ArtifactService/GetArtifact",
    "beta.v1.WebhookService/GetWebhookEndpoint",
    "beta.v1.ApprovalService/GetApproval",
  ].map(rpc),
  {
    id: "lifecycle/stale",
    says: "goes on showing a record as it was first read",
    breaks: ({ subject }) => (subject === "approval" ? "*.approvals.decision" : "*.records.agree"),
    // The version that it shows is taken no longer.
    entails: ["*.versioning.carried"],
    decorate: cachingForever,
  },
);
