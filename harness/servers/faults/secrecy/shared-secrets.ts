import type { JsonObject } from "@bufbuild/protobuf";
import { SessionService } from "../../../../proto/gen/beta/v1/session_service_pb.js";
import { type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaDecoration } from "../../reference/main.ts";
import { onReply } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsAt, faultsOf } from "../table.ts";
import { without } from "../values.ts";

const creating = rpcs.filter(({ method }) => method === "CreateWebhookEndpoint");

/** Gives each endpoint the secret of the first of those that `keyOf` puts together. */
const sharing = (keyOf: (json: JsonObject) => string) => {
  const secrets = new Map<string, string>();
  return onReply((json) => {
    const endpoint = (json.endpoint ?? json.webhookEndpoint ?? {}) as JsonObject;
    const key = keyOf(endpoint);
    // A replay has none to show.
    if (typeof json.signingSecret !== "string" || json.signingSecret === "") return json;
    const signingSecret = secrets.get(key) ?? json.signingSecret;
    secrets.set(key, signingSecret);
    return { ...json, signingSecret };
  });
};

/** What a secret that was given out before breaks besides: beta.v1 alone says of it that it is returned once. */
const issuedAgain = ({ package: name }: RpcRow): readonly string[] =>
  name === "beta.v1" ? ["*.credentials.reissue", "*.credentials.once"] : [];

export const oneSecretForAll: readonly Fault[] = faultsAt(creating, {
  id: "secrecy/one-secret-for-all-endpoints",
  says: "gives all endpoints the same signing secret",
  breaks: "*.webhooks.own-secret",
  entails: issuedAgain,
  decorate: (row) => sharing(() => "")(row),
});

export const oneSecretPerWorkspace: readonly Fault[] = faultsAt(creating, {
  id: "secrecy/one-secret-for-a-workspace",
  says: "gives the endpoints of a workspace the same signing secret",
  breaks: "*.webhooks.own-secret",
  entails: issuedAgain,
  decorate: (row) => sharing(({ workspaceId }) => JSON.stringify(workspaceId ?? null))(row),
});

export const oneSecretPerUrl: readonly Fault[] = faultsAt(creating, {
  id: "secrecy/one-secret-for-a-url-and-a-name",
  says: "gives endpoints that have one url and one name the same signing secret",
  breaks: "*.webhooks.own-secret",
  entails: issuedAgain,
  decorate: (row) => sharing(({ url, name }) => JSON.stringify([url ?? null, name ?? null]))(row),
});

/** Gives a third endpoint of a url and a name, and those after it, the secret of the second. */
const again = () => {
  const issued = new Map<string, readonly string[]>();
  return onReply((json) => {
    const { url, name } = (json.endpoint ?? json.webhookEndpoint ?? {}) as JsonObject;
    const key = JSON.stringify([url ?? null, name ?? null]);
    if (typeof json.signingSecret !== "string" || json.signingSecret === "") return json;
    const before = issued.get(key) ?? [];
    issued.set(key, [...before, json.signingSecret]);
    return { ...json, signingSecret: before[1] ?? json.signingSecret };
  });
};

export const secretOfTheDeleted: readonly Fault[] = faultsAt(creating, {
  id: "secrecy/secret-of-a-deleted-endpoint-comes-back",
  says: "gives the third endpoint of a url and a name the signing secret of the second",
  breaks: "*.webhooks.own-secret",
  entails: issuedAgain,
  decorate: (row) => again()(row),
});

/** Gives a session the voice ticket that it has already, whatever requestId asks for one. */
function sameTicket(): BetaDecoration {
  const tickets = new Map<string, string>();
  return {
    handlers: aroundBeta(SessionService.method.createVoiceConnectionTicket, (next) => async (context, request) => {
      const reply = await next(context, request);
      const session = idText(request.sessionId);
      const ticket = tickets.get(session) ?? reply.ticket;
      tickets.set(session, ticket);
      return { ...reply, ticket };
    }),
  };
}

export const oneTicketASession: readonly Fault[] = faultsOf("secrecy", "beta.v1", {
  "*.credentials.reissue": {
    "CreateVoiceConnectionTicket-same-for-a-session": [
      "issues one voice ticket for a session, again and again",
      sameTicket,
    ],
  },
});

/** Gives a signing secret to the first endpoint of a url only. */
const oncePerUrl = () => {
  const firsts = new Map<string, string>();
  return onReply((json) => {
    const endpoint = (json.endpoint ?? json.webhookEndpoint ?? {}) as JsonObject;
    const [url, id] = [String(endpoint.url), JSON.stringify(endpoint.id ?? endpoint.webhookEndpointId)];
    const first = firsts.get(url) ?? id;
    firsts.set(url, first);
    return first === id ? json : without(json, "signingSecret");
  });
};

export const noSecretAtSameUrl: readonly Fault[] = faultsAt(creating, {
  id: "secrecy/no-secret-for-a-known-url",
  says: "gives a second endpoint of a url no signing secret",
  breaks: "*.webhooks.signing-secret",
  decorate: (row) => oncePerUrl()(row),
});
