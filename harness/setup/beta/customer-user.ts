import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { Unproven } from "../../case/unproven.ts";
import type { Credential } from "../../wire/client.ts";
import { objectAt, textAt } from "../../wire/json.ts";
import { describeReply } from "../../wire/reply.ts";
import { versionOf } from "../subject.ts";

/** A workspace and app of beta.v1, and the backend key to work in it. */
export interface BetaTenant {
  readonly workspaceId: JsonObject;
  readonly appId: JsonObject;
  readonly appVersionId: JsonObject;
  readonly key: Credential;
  /** Shown in labels of what is made in it. */
  readonly label: string;
}

/** Scopes a browser token may have use for: those of the RPCs that take one. */
export const browserScopes = [
  "approvals:read",
  "approvals:write",
  "memory:read",
  "memory:write",
  "runs:payload",
  "runs:read",
  "runs:write",
  "secrets:read",
  "secrets:write",
  "sessions:read",
  "sessions:write",
  "voice:connect",
] as const;

/** An origin for grants and tokens where the target file names none. */
export const defaultOrigin = "https://app.example.test:443";

/** The fields of a grant that its creation and its update take. */
export function grantFields({ target }: CaseContext): JsonObject {
  const { toolIds, browserOrigin } = target.beta;
  return {
    attributesJson: Buffer.from('{"plan":"hallmark"}').toString("base64"),
    allowedToolIds: toolIds.map((value) => ({ value })),
    registeredOrigins: [browserOrigin ?? defaultOrigin],
    expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
    allowedBrowserTokenScopes: [...browserScopes],
  };
}

/** Grants a customer user, new for the run. */
export async function createUser(context: CaseContext, tenant: BetaTenant): Promise<Subject> {
  const reply = await context.call(
    "beta.v1.CustomerUserService/CreateCustomerUserGrant",
    {
      requestId: { value: context.random.uuidv7() },
      workspaceId: tenant.workspaceId,
      appId: tenant.appId,
      externalUserId: `${context.run.prefix}-user-${context.random.token(8)}`,
      ...grantFields(context),
    },
    { as: tenant.key },
  );
  const record = objectAt(context.needs(reply), "customerUserGrant");
  const id: JsonValue = record.customerUserId ?? null;
  if (id === null) throw new Unproven(`${reply.row.name} made a grant without a customerUserId`);
  return {
    kind: "customer_user",
    id,
    record,
    version: versionOf(record),
    changesOnlyByMutation: true,
    within: { customerUserId: id },
  };
}

/** What a browser at an origin, scheme://host:port, says it sends from: it leaves a scheme's usual port out. */
export function sentFrom(origin: string): { readonly origin?: string } {
  return URL.canParse(origin) ? { origin: new URL(origin).origin } : {};
}

/** Mints a browser token for a user. */
export async function mintToken(
  context: CaseContext,
  tenant: BetaTenant,
  user: Pick<Subject, "id">,
  scopes: readonly string[],
  more: JsonObject = {},
): Promise<Credential> {
  const { toolIds, browserOrigin } = context.target.beta;
  const origin = browserOrigin ?? defaultOrigin;
  const ask = (lifetimeSeconds: number) =>
    context.call(
      "beta.v1.CustomerUserService/IssueBrowserToken",
      {
        requestId: { value: context.random.uuidv7() },
        workspaceId: tenant.workspaceId,
        appId: tenant.appId,
        customerUserId: user.id,
        scopes: [...scopes],
        lifetimeSeconds,
        origins: [browserOrigin ?? defaultOrigin],
        allowedToolIds: toolIds.map((value) => ({ value })),
        ...more,
      },
      { as: tenant.key },
    );
  // The longest lifetime is not shown: a shorter one is asked for where a long one is refused.
  let reply = await ask(3600);
  for (const shorter of [600, 120]) if (reply.outcome === "refused") reply = await ask(shorter);
  const token = textAt(context.needs(reply), "token");
  if (token === "") throw new Unproven(`needs a browser token; ${reply.row.name} was ${describeReply(reply)}`);
  const label = `beta browser token (${tenant.label}, ${scopes.length === browserScopes.length ? "all scopes" : scopes.join(" ")})`;
  context.run.secrets.register(token, label, "issued credential");
  return { label, token, ...sentFrom(origin) };
}
