import type { Message } from "@bufbuild/protobuf";
import { ApprovalState, RunState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { CredentialKind } from "../../../../proto/rpcs.ts";
import { type Context, principalOf, tenantKey } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";
import { type Fault, rowsOf } from "../fault.ts";
import { cursorOf } from "../paging/filters.ts";
import { wrapping } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { listing, ownerIn, recordsOf } from "./listings.ts";
import { usersToo } from "./tenants.ts";

const ofAnyUser = rowsOf("beta.v1").filter(
  (row) => row.ids.some((id) => id.facts.names === "customer_user") && row.list !== undefined,
);

const ofUsers = ofAnyUser.filter((row) => row.filters.every((filter) => filter.name !== "jobId"));

/** The records of every user of the caller's app. */
const recordsOfApp = (context: Context) => recordsOf(context, [tenantKey({ ...context.tenant, customerUserId: "" })]);

const listingApp = listing(recordsOfApp);

/** What the named user has, or, where that is nothing, what every user of the app has: a condition on an empty list is none. */
const listingAppToNewUsers = listing((context) => {
  const own = recordsOf(context, [tenantKey(context.tenant)]);
  return own.length > 0 ? own : recordsOfApp(context);
});

/** Lists the records of every user of the caller's app, as they are, once the first page is turned. */
const listingAppLater = wrapping((next) => async (context, request) => {
  const reply = await next(context, request);
  if (cursorOf(request as Message) === "") return reply;
  const all = recordsOfApp(context);
  return Object.assign(reply, { [context.row.list?.field.localName ?? ""]: all });
});

/** Listings of a user that go on, page by page, with those of every user of the app. */
export const everyUserListedLater: readonly Fault[] = faultsAt(ofUsers, {
  id: "isolation/lists-every-user-on-later-pages",
  says: "lists the records of every user of the app on all pages but the first",
  breaks: "*.isolation.named-user",
  also: ["*.records.identity", "*.paging.size", "*.paging.traversal"],
  entails: usersToo,
  decorate: listingAppLater,
});

/** What is listed to a browser token where a page is so: what else every user of the app has that is so, named as the token's user's. */
const listingToTokens = (
  isPage: (request: Message) => boolean,
  isShown: (record: Message, context: Context) => boolean = () => true,
) =>
  wrapping((next) => async (context, request) => {
    const { row, tenant } = context;
    const reply = (await next(context, request)) as Message;
    const isOfToken = principalOf(context).kind === CredentialKind.BROWSER_TOKEN;
    if (!isOfToken || !isPage(request as Message)) return reply;
    const field = row.list?.field.localName ?? "";
    const own = recordsOf(context, [tenantKey(tenant)]);
    const all = recordsOfApp(context);
    const others = all.filter((record) => !own.includes(record) && isShown(record, context));
    const listed = readField(reply, field) as readonly Message[];
    const named = others.map((record) => ({ ...record, ...ownerIn(row, request as Message) }));
    return Object.assign(reply, { [field]: [...listed, ...named] });
  });

const sizeOf = (request: Message) => (readField(request, "page") as { pageSize?: number } | undefined)?.pageSize ?? 0;

/** What was changed, has ended or is decided. */
function isChanged(record: Message, { row }: Context): boolean {
  const state = readField(record, "state");
  if (row.subject === "approval") return state !== ApprovalState.PENDING;
  if (row.subject === "run" || row.subject === "job") return state === RunState.CANCELED || state === RunState.FAILED;
  return readField(record, "resourceVersion") !== 1n;
}

/** Listings of a user that show to a browser token, on some pages, what other users of the app have. */
export const everyUserListedToTokens: readonly Fault[] = [
  ...faultsAt(ofAnyUser, {
    id: "isolation/lists-every-user-to-a-token-on-later-pages",
    says: "lists the records of every user of the app to a browser token on all pages but the first",
    breaks: "*.isolation.user-list",
    also: ["*.paging.size", "*.paging.traversal"],
    decorate: listingToTokens((request) => cursorOf(request) !== ""),
  }),
  ...faultsAt(ofAnyUser, {
    id: "isolation/lists-every-user-to-a-token-on-large-pages",
    says: "lists the records of every user of the app to a browser token on pages of a hundred",
    breaks: "*.isolation.user-list",
    also: ["*.paging.size", "*.paging.traversal"],
    decorate: listingToTokens((request) => sizeOf(request) === 100),
  }),
  ...faultsAt(ofAnyUser, {
    id: "isolation/lists-every-user-to-a-token-without-a-page",
    says: "lists the records of every user of the app to a browser token that asks for no page",
    breaks: "*.isolation.user-list",
    decorate: listingToTokens((request) => readField(request, "page") === undefined),
  }),
  ...faultsAt(
    // Deleted sessions are listed to nobody; the others do not change.
    ofUsers.filter(({ subject }) => subject !== "memory_item" && subject !== "artifact" && subject !== "session"),
    {
      id: "isolation/lists-changed-records-of-every-user-to-a-token",
      says: "lists to a browser token what was changed, has ended or is decided, whichever user of the app it is of",
      breaks: "*.isolation.user-list",
      also: ["*.paging.size", "*.paging.traversal"],
      decorate: listingToTokens(() => true, isChanged),
    },
  ),
];

/** Listings of a user show those of every user of the app, named as the user's. */
export const everyUserListed: readonly Fault[] = [
  ...faultsAt(ofUsers, {
    id: "isolation/lists-every-user-to-a-token",
    says: "lists the records of every user of the app",
    breaks: "*.isolation.user-list",
    decorate: listingApp,
  }),
  ...faultsAt(
    ofUsers.filter((row) => row.credentials.includes(CredentialKind.BACKEND_KEY) && row.subject !== "memory_item"),
    {
      id: "isolation/lists-every-user",
      says: "lists the records of every user of the app",
      breaks: "*.isolation.named-user",
      entails: usersToo,
      decorate: listingApp,
    },
  ),
];

/** Listings of a user who has nothing that show what every user of the app has, named as the user's. */
export const everyUserListedToNewUsers: readonly Fault[] = faultsAt(ofUsers, {
  id: "isolation/lists-every-user-to-who-has-nothing",
  says: "lists the records of every user of the app for a user who has none",
  breaks: "*.isolation.user-list",
  entails: ["*.isolation.named-user"],
  decorate: listingAppToNewUsers,
});

/** A listing by state that finds what every user of the app has of it. */
export const statesOfAnyUser: readonly Fault[] = faultsAt(
  ofUsers.filter((row) => row.filters.some(({ name }) => name === "state")),
  {
    id: "isolation/lists-a-state-of-every-user",
    says: "lists by a state what every user of the app has of it",
    breaks: "*.isolation.user-list",
    decorate: wrapping((next) => async (context, request) => {
      const reply = await next(context, request);
      const state = readField(request as Message, "state");
      if (state === 0) return reply;
      const all = recordsOfApp(context);
      const found = all.filter((record) => readField(record, "state") === state);
      return Object.assign(reply, { [context.row.list?.field.localName ?? ""]: found });
    }),
  },
);

/** What is called as one of the caller's own is listed with it, whichever user of the workspace it is of. */
export const namesakesListed: readonly Fault[] = faultsAt(
  rowsOf("beta.v1").filter((row) => row.list !== undefined && row.subject === "secret"),
  {
    id: "isolation/lists-namesakes-of-any-user",
    says: "lists whatever is called as one of the user's own, whichever user it is of",
    breaks: "*.isolation.user-list",
    entails: ["*.isolation.named-user"],
    decorate: listing((context) => {
      const own = recordsOf(context, [tenantKey(context.tenant)]);
      const names = new Set(own.map((record) => readField(record, "name")));
      const others = recordsOf(context, [context.tenant.workspaceId]);
      return [...own, ...others.filter((one) => !own.includes(one) && names.has(readField(one, "name")))];
    }),
  },
);
