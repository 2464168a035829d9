import type { MemoryItem, Secret } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { CredentialKind, Effect, rpc } from "../../../../proto/rpcs.ts";
import { type Context, tenantKey } from "../../reference/core/context.ts";
import { idText, readField } from "../../reference/core/fields.ts";
import type { BetaContext } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { workspacesOf } from "../second-tenant.ts";
import { recordIn, wrapping } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** Whether an item of somebody else is reached, too. */
type IsReached = (item: MemoryItem, context: Context) => boolean;

/** Does what is asked to the items that have the key of the one it is asked of. */
const byKey = (isReached: IsReached) =>
  wrapping((next) => async (context, request) => {
    const { world } = context as BetaContext;
    const own = context.subject as MemoryItem;
    const likes = [...workspacesOf(world)]
      .flatMap((workspace) => world.tables.memory_item.entries(workspace))
      .map(({ record }) => record)
      .filter((item) => item.key === own.key && idText(item.memoryItemId) !== idText(own.memoryItemId))
      .filter((item) => isReached(item, context));
    const reply = await next(context, request);
    for (const { memoryItemId } of likes) {
      const id = idText(memoryItemId);
      if (context.row.effect === Effect.DELETE) world.tables.memory_item.remove(id);
      else world.tables.memory_item.change(id, { valueJson: readField(request, "valueJson") as Uint8Array });
    }
    return reply;
  });

const isOfApp: IsReached = ({ appId }, { tenant }) => idText(appId) === tenant.appId;
const isByToken: IsReached = (_item, { principal }) => principal?.kind === CredentialKind.BROWSER_TOKEN;

const at = (what: string, whose: string, breaks: string, isReached: IsReached) =>
  faultsAt(["beta.v1.MemoryService/DeleteMemoryItem", "beta.v1.MemoryService/UpdateMemoryItem"].map(rpc), {
    id: `isolation/reaches-items-by-key-${what}`,
    says: `does what it does to the items of ${whose}, too, that have the same key`,
    breaks,
    // A token changes nothing of any other user, wherever that is of.
    also: ["*.isolation.user-mutate"],
    decorate: byKey(isReached),
  });

/** Secrets of other users of the app are found by the name of the one a call is about, where a browser token asks. */
const byName = wrapping((next) => async (context, request) => {
  const { world } = context as BetaContext;
  const reply = await next(context, request);
  const own = (context.subject ?? recordIn(context, reply)) as Secret;
  const ofApp = world.tables.secret.entries(tenantKey({ ...context.tenant, customerUserId: "" }));
  for (const { record } of context.principal?.kind === CredentialKind.BROWSER_TOKEN ? ofApp : []) {
    const isLike = record.name === own.name && idText(record.customerUserId) !== idText(own.customerUserId);
    if (!isLike) continue;
    if (context.row.effect === Effect.DELETE) world.tables.secret.remove(idText(record.secretId));
    else world.tables.secret.change(idText(record.secretId), { activeVersion: record.activeVersion + 1 });
  }
  return reply;
});

export const likeSecrets: readonly Fault[] = faultsAt(
  ["CreateSecret", "RotateSecret", "DeleteSecret"].map((method) => rpc(`beta.v1.CustomerSecretService/${method}`)),
  {
    id: "isolation/reaches-secrets-by-name-for-tokens",
    says: "does what it does to the secrets of other users, too, that have the same name, where a browser token asks for it",
    breaks: "*.isolation.user-mutate",
    decorate: byName,
  },
);

/** Memory items are found by their key, and whose they are is forgotten. */
export const likeItems: readonly Fault[] = [
  ...at("of-users", "other users", "*.isolation.named-user", (item, context) => isOfApp(item, context)),
  ...at(
    "for-tokens",
    "other users, where a browser token asks for it,",
    "*.isolation.user-mutate",
    (item, context) => isOfApp(item, context) && isByToken(item, context),
  ),
  ...at("of-tenants", "users of other apps", "*.isolation.mutate", (item, context) => !isOfApp(item, context)),
];
