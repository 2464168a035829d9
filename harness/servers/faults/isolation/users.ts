import { CredentialKind, Effect, rpcs } from "../../../../proto/rpcs.ts";
import { tenantKey } from "../../reference/core/context.ts";
import { onRpc } from "../../reference/core/decoration.ts";
import type { BetaContext } from "../../reference/main.ts";
import { defineBetaFault, type Fault } from "../fault.ts";

const ofUsers = rpcs.filter(
  (row) => row.package === "beta.v1" && row.ids.some((id) => id.facts.names === "customer_user"),
);

/** Listings of a user show those of every user of the app, named as the user's. */
export const mixedListings: readonly Fault[] = ofUsers
  .filter((row) => row.list !== undefined && row.filters.every((filter) => filter.name !== "jobId"))
  .flatMap((row) =>
    (row.credentials.includes(CredentialKind.BACKEND_KEY) && row.subject !== "memory_item"
      ? (["isolation.user-list", "isolation.named-user"] as const)
      : (["isolation.user-list"] as const)
    ).map((breaks) =>
      defineBetaFault({
        id: `isolation/beta-${row.method}-lists-every-${breaks === "isolation.user-list" ? "user-to-a-token" : "user"}`,
        says: `${row.method} lists the records of every user of the app`,
        breaks: `beta.${breaks}`,
        rpc: row.name,
        decoration: {
          handlers: {
            [row.name]: (next) => async (context, request) => {
              const reply = await next(context, request);
              const all = context.world.tables[row.subject as "secret"]
                .entries(tenantKey({ ...context.tenant, customerUserId: "" }))
                .filter((entry) => !entry.deleted)
                .map(({ record }) => ({
                  ...record,
                  customerUserId: { $typeName: "beta.v1.UUIDv7", value: context.tenant.customerUserId },
                }));
              return Object.assign(reply, { [row.list?.field.localName ?? ""]: all, page: undefined });
            },
          },
        },
      }),
    ),
  );

const creating = ofUsers.filter((row) => row.effect === Effect.CREATE && row.record !== undefined);

/** A requestId is remembered for the app, whichever user it was sent for. */
export const sharedRequestIds: readonly Fault[] = creating.map((row) =>
  defineBetaFault({
    id: `idempotency/beta-${row.method}-remembers-across-users`,
    says: `${row.method} answers a requestId with what was made under it for another user`,
    breaks: "beta.idempotency.tenant",
    rpc: row.name,
    decoration: {
      parts: (parts) => {
        const served = new Map<string, Awaited<ReturnType<typeof parts.idempotent>>>();
        return {
          idempotent: onRpc(row.name, parts.idempotent, async (context: BetaContext, effect) => {
            const key = `${context.tenant.appId} ${JSON.stringify(context.call.request.requestId)}`;
            const reply = served.get(key) ?? (await parts.idempotent(context, effect));
            served.set(key, reply);
            return reply;
          }),
        };
      },
    },
  }),
);
