import { clone, type Message } from "@bufbuild/protobuf";
import { ApprovalState, RunState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { CredentialKind, factsOf, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { type Context, principalOf, tenantKey } from "../../reference/core/context.ts";
import { idText, readField } from "../../reference/core/fields.ts";
import { readCursor } from "../../reference/core/paging.ts";
import { type Fault, rowsOf } from "../fault.ts";
import { cursorOf } from "../paging/filters.ts";
import { workspacesOf } from "../second-tenant.ts";
import { replacing, wrapping } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { kept, usersToo } from "./tenants.ts";

const tenantFacts = new Set(["workspace", "app", "customer_user"]);

/** The fields by which listed records name the tenant of a request, as the request names it. */
function ownerIn(row: RpcRow, request: Message): object {
  const fields = row.list?.field.message?.fields.filter((field) => tenantFacts.has(factsOf(field).names)) ?? [];
  return Object.fromEntries(fields.map(({ localName }) => [localName, readField(request, localName)]));
}

/** Live records of a row's kind that belong to these workspaces. */
export function recordsOf({ world, row }: Context, workspaces: Iterable<string>): readonly Message[] {
  const entries = [...workspaces].flatMap((id) => world.tables[row.subject]?.entries(id) ?? []);
  return entries.filter(({ deleted }) => !deleted).map(({ record }) => record);
}

/** Lists other records on one page, named as the caller's. */
const listing = (records: (context: Context) => readonly Message[]) =>
  wrapping((next) => async (context, request) => {
    const { row } = context;
    const reply = await next(context, request);
    const own = ownerIn(row, request);
    const listed = records(context).map((record) => ({ ...record, ...own }));
    return Object.assign(reply, { [row.list?.field.localName ?? ""]: listed, page: undefined });
  });

const listings = rpcs.filter((row) => kept.has(row.subject) && row.list !== undefined);

export const everyWorkspaceListed: readonly Fault[] = faultsAt(listings, {
  id: "isolation/lists-every-workspace",
  says: "lists the records of all workspaces, named as the caller's",
  breaks: "*.isolation.list",
  entails: usersToo,
  decorate: listing((context) => recordsOf(context, workspacesOf(context.world))),
});

/** What a listing shows, and what was changed once of other workspaces, named as the caller's. */
export const changedListed: readonly Fault[] = faultsAt(
  // What is of a user is listed by the user, whom no other workspace has.
  listings.filter(
    ({ subject, ids }) =>
      (subject === "secret" || subject === "webhook_endpoint") &&
      !ids.some(({ facts }) => facts.names === "customer_user"),
  ),
  {
    id: "isolation/lists-changed-records-of-every-workspace",
    says: "lists what was changed once whatever its workspace, named as the caller's",
    breaks: "*.isolation.list",
    entails: usersToo,
    decorate: listing((context) => [
      ...recordsOf(context, [tenantKey(context.tenant)]),
      ...recordsOf(context, workspacesOf(context.world)).filter(
        (record) =>
          readField(record, "resourceVersion") !== 1n &&
          idText(readField(record, "workspaceId") as { value: string } | undefined) !== context.workspaceId,
      ),
    ]),
  },
);

/** The records that are listed show another workspace than the request names. */
const ofAnother = (row: RpcRow) => ["*.records.identity", ...usersToo(row)];

export const cursorsOfAnybody: readonly Fault[] = faultsAt(
  // Whoever comes from elsewhere has no such job, so that a cursor of its listing leads nowhere, whatever it carries.
  listings.filter((row) => !row.filters.some((filter) => filter.facts.names === "job")),
  {
    id: "isolation/cursor-carries-its-workspace",
    says: "goes on in the workspace a cursor was issued for, whoever brings it",
    breaks: "*.isolation.cursor",
    entails: ofAnother,
    decorate: replacing(() => ({ decodeCursor: readCursor })),
  },
);

export const cursorsOfAnybodyByState: readonly Fault[] = faultsAt(
  listings.filter((row) => row.filters.some(({ field }) => field.fieldKind === "enum")),
  {
    id: "isolation/cursor-by-state-carries-its-workspace",
    says: "goes on in the workspace a cursor was issued for, where a state is asked for",
    breaks: "*.isolation.cursor",
    entails: ofAnother,
    decorate: replacing((parts) => ({
      decodeCursor(context, cursor, filter) {
        const isByState = readField(context.request as Message, "state") !== 0;
        return isByState ? readCursor(context, cursor) : parts.decodeCursor(context, cursor, filter);
      },
    })),
  },
);

/** What a listing is filtered by that names a thing of the tenant's own. */
const namingFilter = (row: RpcRow) => row.filters.find(({ field }) => field.fieldKind === "message");

export const cursorsOfAnybodyByName: readonly Fault[] = faultsAt(
  listings.filter((row) => namingFilter(row)?.facts.names === "webhook_endpoint"),
  {
    id: "isolation/cursor-carries-what-it-lists-by",
    says: "goes on with what a cursor of another workspace was listed by, whatever of its own the caller names",
    breaks: "*.isolation.cursor",
    entails: ofAnother,
    decorate: (row) => {
      const name = namingFilter(row)?.field.localName ?? "";
      const named = (request: Message) => idText(readField(request, name) as Parameters<typeof idText>[0]);
      return {
        ...replacing((parts) => ({
          decodeCursor: (context, cursor, filter) =>
            filter === "" ? parts.decodeCursor(context, cursor, filter) : readCursor(context, cursor),
        }))(row),
        ...wrapping((next) => (context, request) => {
          const position = readCursor(context, cursorOf(request as Message));
          const isForeign = position !== undefined && position.tenant !== tenantKey(context.tenant);
          if (!isForeign || named(request as Message) === "") return next(context, request);
          return next(
            context,
            Object.assign(clone(row.input, request as Message), { [name]: { value: position.filter } }),
          );
        })(row),
      };
    },
  },
);

/** Lists by a state what other workspaces have, where its own has nothing of it. */
export const statesOfAnyWorkspace: readonly Fault[] = faultsAt(
  listings.filter((row) => row.package === "alpha.v1" && row.filters.some(({ field }) => field.fieldKind === "enum")),
  {
    id: "isolation/lists-by-state-what-others-have",
    says: "lists by a state what other workspaces have of it, where its own has nothing",
    breaks: "*.isolation.list",
    also: ["*.records.identity"],
    decorate: wrapping((next) => async (context, request) => {
      const reply = (await next(context, request)) as Message;
      const field = context.row.list?.field.localName ?? "";
      const state = readField(request as Message, "state");
      if (state === 0 || (readField(reply, field) as readonly Message[]).length > 0) return reply;
      const others = recordsOf(context, workspacesOf(context.world)).filter(
        (record) => readField(record, "state") === state,
      );
      return Object.assign(reply, { [field]: others });
    }),
  },
);

const ofAnyUser = rowsOf("beta.v1").filter(
  (row) => row.ids.some((id) => id.facts.names === "customer_user") && row.list !== undefined,
);

const ofUsers = ofAnyUser.filter((row) => row.filters.every((filter) => filter.name !== "jobId"));

/** The records of every user of the caller's app. */
const recordsOfApp = (context: Context) => recordsOf(context, [tenantKey({ ...context.tenant, customerUserId: "" })]);

const listingApp = listing(recordsOfApp);

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
