import { z } from "zod";

/**
 * The one definition of the target file: it validates, gives the types, and is published as JSON Schema
 * (`docs/target.schema.json`). Every key but a base URL is optional; what is missing leaves cases not exercised.
 */

/** A URL that is printed and written, as everything of a target but its credentials. */
const baseUrl = z
  .url({ protocol: /^https?$/, error: "must be an http or https URL", abort: true })
  .refine((url) => {
    const parsed = URL.parse(url);
    return parsed !== null && parsed.username + parsed.password + parsed.search + parsed.hash === "";
  }, "must be a URL without a user, password, query or fragment: base URLs are printed; give credentials by their own keys")
  .transform((url) => url.replace(/\/+$/, ""));
const uuid = z
  .string()
  .regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/, "must be a UUID in the form 8-4-4-4-12");
const token = z
  .string()
  .regex(/^[\x21-\x7e]+$/, "must be printable ASCII without spaces, as it goes into a header")
  .describe("A credential; write ${NAME} to take it from the environment.");
/** A day: no wait of a run is meant to be longer, and timers hold no more than 24 of them. */
const milliseconds = z.int().positive().max(86_400_000, "must be 86400000 milliseconds (a day) at most");

/** How many of something a run may make. */
const budget = z.int().nonnegative();

const limitedKey = z.strictObject({
  token,
  scopes: z.array(z.string()).describe("Exactly the scopes this key has."),
});

export const alphaSchema = z.strictObject({
  baseUrl: baseUrl.optional().describe("Where the services answer: {base_url} of the contract."),
  testBaseUrl: baseUrl.optional().describe("Where the fixture RPCs answer: {test_base_url} of the contract."),
  oneServer: z.boolean().default(false).describe("Both URLs are one server: fixtures are expected on baseUrl too."),
  workspaceId: uuid.optional().describe("The workspace the suite works in."),
  apiKeys: z
    .strictObject({
      all: token.optional().describe("A key of the workspace with every scope."),
      limited: z.array(limitedKey).default([]).describe("Keys of the workspace with fewer scopes."),
    })
    .prefault({}),
  secondWorkspace: z
    .strictObject({
      workspaceId: uuid.describe("Another workspace than the first."),
      apiKey: token.describe("A key of that workspace with every scope."),
    })
    .optional()
    .describe("Another workspace: what is in the first must not be reachable from it."),
  miniAppIds: z
    .array(z.string().min(1))
    .default([])
    .describe("Mini apps that exist; the first takes the suite's uploads."),
  artifactMimeType: z.string().default("application/octet-stream").describe("A type the first mini app accepts."),
  fixtureInputs: z
    .strictObject({
      succeed: z.string().optional().describe("Makes a job (and a synchronous run) succeed."),
      fail: z.string().optional().describe("Makes a job fail."),
      slow: z
        .string()
        .optional()
        .describe("Keeps a job running long enough to be canceled, on a busy machine too: 20 s or more."),
      artifacts: z.string().optional().describe("Makes a job produce result artifacts."),
      retry: z.string().optional().describe("Makes a job fail once, then succeed."),
      stream: z.string().optional().describe("Makes RunStream send several messages."),
    })
    .prefault({})
    .describe("What the fixture procedures do with which input."),
  upload: z
    .strictObject({
      method: z.enum(["PUT", "POST"]).default("PUT"),
      authorization: z.boolean().default(false).describe("Send the API key to uploadUrl and downloadUrl too."),
    })
    .prefault({}),
});

const tenant = { workspaceId: uuid, appId: uuid };

export const betaSchema = z.strictObject({
  baseUrl: baseUrl.optional().describe("Where the services answer: {base_url} of the contract."),
  workspaceId: uuid.optional().describe("The workspace the suite works in."),
  appId: uuid.optional().describe("The app the suite works in."),
  appVersionIds: z
    .array(uuid)
    .default([])
    .describe("Published versions of the app; the first runs the suite's inputs."),
  toolIds: z
    .array(uuid)
    .default([])
    .describe("Tools of the app, for grants and browser tokens; those the inputs call among them."),
  backendKeys: z
    .strictObject({
      all: token.optional().describe("A backend key of the app with every scope."),
      limited: z.array(limitedKey).default([]).describe("Backend keys of the app with fewer scopes."),
    })
    .prefault({}),
  mcpTokens: z
    .array(limitedKey)
    .default([])
    .describe("MCP OAuth tokens that act for any customer user of the app, with the scopes each has."),
  idpTokens: z
    .strictObject({
      permitted: token.optional().describe("Of a user whose platform permissions allow managing webhooks."),
      unpermitted: token
        .optional()
        .describe("Of a user whose platform permissions allow neither to read nor to manage webhooks."),
    })
    .prefault({}),
  secondTenant: z
    .strictObject({
      ...tenant,
      appVersionId: uuid.describe("A published version of that app."),
      toolIds: z.array(uuid).default([]).describe("Tools of that app, for the grants of its users."),
      backendKey: token.describe("A key of that app with every scope."),
    })
    .optional()
    .describe("Another workspace and app: what is in the first must not be reachable from it."),
  inputs: z
    .strictObject({
      complete: z.string().optional().describe("Makes a run succeed."),
      fail: z.string().optional().describe("Makes a run fail."),
      slow: z
        .string()
        .optional()
        .describe("Keeps a run going long enough to be canceled, on a busy machine too: 20 s or more."),
      approval: z.string().optional().describe("Makes a run call a tool that needs approval."),
      artifact: z.string().optional().describe("Makes a run produce an artifact."),
      memory: z.string().optional().describe("Makes a run store a memory item."),
      unknown: z.string().optional().describe("Makes a run end with its outcome unknown."),
      expiring: z.string().optional().describe("Makes a run need an approval that expires within seconds."),
    })
    .prefault({})
    .describe("What the app does with which input text."),
  oauthLoginRequests: z
    .array(z.strictObject({ id: uuid, resourceVersion: z.string().default("1") }))
    .default([])
    .describe(
      "OAuth login requests that are free to be completed, each once. Every run spends some, the first of them always.",
    ),
  browserOrigin: z
    .string()
    .optional()
    .describe(
      "An origin, scheme://host:port, for grants and browser tokens; best with a port that is not the scheme's usual one.",
    ),
});

export const targetSchema = z
  .strictObject({
    $schema: z.string().optional(),
    name: z.string().min(1).optional().describe("How reports call the target."),
    alpha: alphaSchema.optional().describe("The alpha.v1 service."),
    beta: betaSchema.optional().describe("The beta.v1 service."),
    webhooks: z
      .strictObject({
        listen: z
          .string()
          .regex(/^[^\s:]+:\d{1,5}$/, "must be host:port")
          .refine((address) => Number(address.split(":")[1]) <= 65_535, "must have a port of 65535 at most")
          .default("127.0.0.1:0")
          .describe("Where the suite's webhook receiver listens; port 0 takes a free one."),
        publicUrl: baseUrl.optional().describe("How the target reaches the receiver; default: where it listens."),
      })
      .optional()
      .describe("Lets the suite receive deliveries."),
    patience: z
      .strictObject({
        connectMs: milliseconds.default(5_000),
        replyMs: milliseconds.default(10_000).describe("From a request to its whole reply."),
        settleMs: milliseconds.default(30_000).describe("How long a job may take to finish, a deletion to show."),
        deliveryMs: milliseconds.default(10_000).describe("How long a webhook delivery may take to arrive."),
        leewayMs: milliseconds
          .default(60_000)
          .describe("How long after its expiry a token may still work: clocks differ."),
        quietMs: milliseconds.default(300).describe("How long to listen for something that must not come."),
        busyMs: milliseconds.default(5_000).describe("How long to wait in all when told the target is busy."),
        caseMs: milliseconds
          .default(90_000)
          .describe("How long one case may take; in proportion longer with more than 100 runs per property."),
        runMs: milliseconds
          .optional()
          .describe(
            "How long a run may take before no further case is put, and those under way end; default in proportion to its cases, ten minutes for all.",
          ),
      })
      .prefault({}),
    limits: z
      .strictObject({
        concurrency: z
          .int()
          .min(1)
          .max(256)
          .default(32)
          .describe("Requests in flight at most, beside streams that go on."),
        requestsPerSecond: z.number().positive().optional(),
        jobs: budget.optional().describe("Runs of alpha.v1 fixtures at most, in any form: each is a job."),
        runs: budget.optional().describe("Runs of beta.v1 at most."),
        endpoints: z
          .int()
          .positive()
          .optional()
          .describe(
            "Webhook endpoints of a tenant that there may be at once: fewer cases that make some go on together.",
          ),
        deliveries: budget
          .optional()
          .describe("Webhook deliveries: once so many came, no case that needs more is begun."),
        loginRequests: budget
          .optional()
          .describe("Of beta.oauthLoginRequests so many are used at most: each can be completed once."),
        maxBodyBytes: z
          .int()
          .positive()
          .default(4 * 1024 * 1024),
      })
      .prefault({}),
    tls: z
      .strictObject({
        caFile: z.string().optional().describe("PEM file of the authority to trust."),
        insecure: z.boolean().default(false).describe("Accept any certificate."),
      })
      .prefault({}),
  })
  .describe("A Hallmark target file: the server under test, and what the suite may use there.");

/** A target file as written. */
export type TargetFile = z.input<typeof targetSchema>;
/** A target file with its defaults filled in. */
export type TargetSettings = z.output<typeof targetSchema>;
export type AlphaSettings = z.output<typeof alphaSchema>;
export type BetaSettings = z.output<typeof betaSchema>;

/** The published JSON Schema of the target file. */
export function targetJsonSchema(): object {
  return z.toJSONSchema(targetSchema, { io: "input" });
}
