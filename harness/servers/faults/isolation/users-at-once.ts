import type { Message } from "@bufbuild/protobuf";
import { CredentialKind, Effect } from "../../../../proto/rpcs.ts";
import type { Context, Handler, Tenant } from "../../reference/core/context.ts";
import { type Fault, rowsOf } from "../fault.ts";
import { wrapping } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { isolationClause, ofUsers } from "./tenants.ts";

/** How long a store takes to answer, in milliseconds: other calls come meanwhile. */
const storeMs = 2;

const answered = () => new Promise<void>((resolve) => setTimeout(resolve, storeMs));

/** What the last call of an app, or of another place, told, kept for the process instead of for the call. */
export const keptForAll =
  <T>(
    of: (context: Context, request: Message) => T,
    use: (context: Context, kept: T, request: Message) => [Context, Message],
    placeOf: (context: Context) => string = ({ tenant }) => tenant.appId,
  ) =>
  (next: Handler): Handler => {
    const last = new Map<string, T>();
    return async (context, request) => {
      const place = placeOf(context);
      last.set(place, of(context, request));
      await answered();
      return next(...use(context, last.get(place) as T, request));
    };
  };

/** Works for the user of whichever browser token called last. */
const forTheLastUser = wrapping((next) => {
  const serve = keptForAll(
    ({ tenant }): Tenant => tenant,
    (context, tenant, request) => {
      const settings = context.world.tables.memory_settings?.find(tenant.customerUserId)?.record;
      const subject = context.row.subject === "memory_settings" ? settings : context.subject;
      return [{ ...context, tenant, subject }, request];
    },
  )(next);
  return (context, request) =>
    context.principal?.kind === CredentialKind.BROWSER_TOKEN ? serve(context, request) : next(context, request);
});

const ownerIds: ReadonlySet<string> = new Set(["workspace", "app", "app_version", "customer_user"]);

/** Calls of a user's browser that name no record by its id: whose it is, is known from the call alone. */
const byTheUserAlone = rowsOf("beta.v1").filter(
  (row) =>
    ofUsers(row) &&
    (row.list !== undefined || row.subject === "memory_settings" || row.effect === Effect.CREATE) &&
    row.ids.every(({ facts }) => ownerIds.has(facts.names)),
);

/** The user of a call is kept in one place for all calls. */
export const lastUser: readonly Fault[] = faultsAt(byTheUserAlone, {
  id: "isolation/works-for-the-user-who-called-last",
  says: "works for the user whose token came last where several call at once",
  breaks: (row) => isolationClause(row, "user-"),
  entails: ["*.records.identity"],
  decorate: forTheLastUser,
});

const issues = rowsOf("beta.v1").filter(({ method }) => method === "IssueBrowserToken");

/** Tokens for the user, or with the scopes, of whichever call came last. */
export const lastAsked: readonly Fault[] = [
  ...faultsAt(issues, {
    id: "isolation/issues-for-the-user-asked-for-last",
    says: "issues tokens that are asked for at once for the user of the last",
    breaks: "beta.isolation.user-list",
    entails: ["beta.auth.scope", "beta.tokens.scopes"],
    decorate: wrapping(
      keptForAll(
        ({ tenant }): Tenant => tenant,
        (context, tenant, request) => [{ ...context, tenant }, request],
      ),
    ),
  }),
  ...faultsAt(issues, {
    id: "auth/issues-with-the-scopes-asked-for-last",
    says: "issues tokens that are asked for at once with the scopes of the last",
    breaks: "beta.tokens.requested",
    entails: ["beta.auth.scope"],
    decorate: wrapping(
      keptForAll(
        (_context, request) => request,
        (context, request) => [context, request],
      ),
    ),
  }),
];
