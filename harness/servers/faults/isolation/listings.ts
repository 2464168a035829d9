import { clone, type Message } from "@bufbuild/protobuf";
import { factsOf, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { type Context, tenantKey } from "../../reference/core/context.ts";
import { idText, readField } from "../../reference/core/fields.ts";
import { readCursor } from "../../reference/core/paging.ts";
import type { Fault } from "../fault.ts";
import { cursorOf } from "../paging/filters.ts";
import { workspacesOf } from "../second-tenant.ts";
import { replacing, wrapping } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { kept, usersToo } from "./tenants.ts";

const tenantFacts = new Set(["workspace", "app", "customer_user"]);

/** The fields by which listed records name the tenant of a request, as the request names it. */
export function ownerIn(row: RpcRow, request: Message): object {
  const fields = row.list?.field.message?.fields.filter((field) => tenantFacts.has(factsOf(field).names)) ?? [];
  return Object.fromEntries(fields.map(({ localName }) => [localName, readField(request, localName)]));
}

/** Live records of a row's kind that belong to these workspaces. */
export function recordsOf({ world, row }: Context, workspaces: Iterable<string>): readonly Message[] {
  const entries = [...workspaces].flatMap((id) => world.tables[row.subject]?.entries(id) ?? []);
  return entries.filter(({ deleted }) => !deleted).map(({ record }) => record);
}

/** Lists other records on one page, named as the caller's. */
export const listing = (records: (context: Context) => readonly Message[]) =>
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
