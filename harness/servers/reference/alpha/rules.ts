import { ArtifactService } from "../../../../proto/gen/alpha/v1/artifact_service_pb.js";
import { SecretService } from "../../../../proto/gen/alpha/v1/secret_service_pb.js";
import { WebhookService } from "../../../../proto/gen/alpha/v1/webhook_service_pb.js";
import type { Rule } from "../core/context.ts";
import { rule } from "../core/implement.ts";
import { durationNanos } from "../core/times.ts";
import { isWebUrl } from "../core/urls.ts";
import type { AlphaChoices } from "./choices.ts";

type Violate = (field: string, description: string) => void;

const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;.*)?$/;

/** What requests must be like beyond their ids, by RPC name. */
export function createRules(choices: AlphaChoices): Readonly<Record<string, Rule>> {
  const judgeName = (name: string, violate: Violate) => {
    if (name === "") violate("name", "is required");
    else if ([...name].length > choices.maximumNameLength)
      violate("name", `is longer than ${choices.maximumNameLength} characters`);
  };
  const judgeUrl = (url: string, violate: Violate) => {
    if (!isWebUrl(url)) violate("url", "is not an http or https URL");
  };
  const keeps = (text: string) => text === "" && choices.emptyUpdateField === "keep";

  return {
    ...rule(ArtifactService.method.createArtifactUpload, (request, violate) => {
      judgeName(request.name, violate);
      if (!mediaType.test(request.mimeType)) violate("mimeType", "is not a media type");
      if (!/^[0-9a-f]{64}$/i.test(request.sha256Hex)) violate("sha256Hex", "is not a SHA-256 in hexadecimal");
      const { requestedRetention } = request;
      if (requestedRetention !== undefined && durationNanos(requestedRetention) <= 0n) {
        violate("requestedRetention", "is not longer than nothing");
      }
    }),
    ...rule(SecretService.method.createSecret, ({ name }, violate) => judgeName(name, violate)),
    ...rule(WebhookService.method.createWebhookEndpoint, ({ name, url }, violate) => {
      judgeName(name, violate);
      judgeUrl(url, violate);
    }),
    ...rule(WebhookService.method.updateWebhookEndpoint, ({ name, url }, violate) => {
      if (!keeps(name)) judgeName(name, violate);
      if (!keeps(url)) judgeUrl(url, violate);
    }),
  };
}
