import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { inHeader, inMember, inRecord, type Leak, leakingIssued } from "./leaks.ts";
import type { Spelling } from "./spellings.ts";

const signingSecret = (leak: Leak, spelling: Spelling = "plain") => leakingIssued("signingSecret", spelling, leak);
const traced = "traces in a header what was last issued to anybody";

const tracedKey = "traces in a header the bytes that the last signing secret encodes";

export const alphaIssuedLeaks: readonly Fault[] = faultsOf("secrecy", "alpha.v1", {
  "*.webhooks.secret-elsewhere": {
    "GetWebhookEndpoint-shows-signing-secret": [
      "shows the signing secret",
      signingSecret(inRecord("endpoint", "signingSecret")),
    ],
    "UpdateWebhookEndpoint-shows-signing-secret": [
      "shows the signing secret",
      signingSecret(inRecord("endpoint", "signingSecret")),
    ],
    "ListWebhookEndpoints-shows-signing-secret": ["shows a signing secret", signingSecret(inMember("secret"))],
    "GetWebhookEndpoint-traces-secrets": [traced, signingSecret(inHeader, "in-base64-of-hex")],
    "ListWebhookEndpoints-traces-keys": [tracedKey, signingSecret(inHeader, "key-in-hex")],
  },
});

/** What one RPC issues in a field, shown by another. */
const issuedBy =
  (method: string, field: string) =>
  (leak: Leak, spelling: Spelling = "plain") =>
    [
      `shows the credential that ${method.split("/")[1]} gave out`,
      leakingIssued(field, spelling, leak, `beta.v1.${method}`),
    ] as const;

const token = issuedBy("CustomerUserService/IssueBrowserToken", "token");
const ticket = issuedBy("SessionService/CreateVoiceConnectionTicket", "ticket");
const created = issuedBy("WebhookService/CreateWebhookEndpoint", "signingSecret");
const rotated = issuedBy("WebhookService/RotateWebhookSecret", "signingSecret");

export const betaIssuedLeaks: readonly Fault[] = faultsOf("secrecy", "beta.v1", {
  "*.credentials.elsewhere": {
    "GetCustomerUserGrant-shows-what-IssueBrowserToken-gave": token(inRecord("customerUserGrant", "token")),
    "UpdateCustomerUserGrant-shows-what-IssueBrowserToken-gave": token(inMember("tokens"), "base64"),
    "DeleteCustomerUser-shows-what-IssueBrowserToken-gave": token(inMember("ended"), "hex"),
    "ListSessions-shows-what-IssueBrowserToken-gave": token(inMember("caller")),
    "GetSession-shows-what-CreateVoiceConnectionTicket-gave": ticket(inRecord("session", "ticket")),
    "ListSessions-shows-what-CreateVoiceConnectionTicket-gave": ticket(inMember("voice"), "base64"),
    "DeleteSession-shows-what-CreateVoiceConnectionTicket-gave": ticket(inRecord("session", "ticket")),
    "ListSessions-traces-tokens": [traced, leakingIssued("token", "percented", inHeader)],
    "ListRuns-traces-tickets": [traced, leakingIssued("ticket", "in-mixed-hex", inHeader)],
  },
  "*.webhooks.secret-elsewhere": {
    "GetWebhookEndpoint-shows-what-CreateWebhookEndpoint-gave": created(inRecord("webhookEndpoint", "signingSecret")),
    "ListWebhookEndpoints-shows-what-CreateWebhookEndpoint-gave": created(inMember("secrets"), "hex"),
    "UpdateWebhookEndpoint-shows-what-CreateWebhookEndpoint-gave": created(inRecord("webhookEndpoint", "secret")),
    "GetWebhookEndpoint-shows-what-RotateWebhookSecret-gave": rotated(inMember("previousSecret"), "base64"),
    "DeleteWebhookEndpoint-shows-what-RotateWebhookSecret-gave": rotated(inRecord("webhookEndpoint", "secret")),
    "ListWebhookEndpoints-traces-secrets": [traced, signingSecret(inHeader, "percented")],
    "GetWebhookEndpoint-traces-keys": [tracedKey, signingSecret(inHeader, "key-in-hex")],
  },
});
