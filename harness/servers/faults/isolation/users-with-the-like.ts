import type { Message } from "@bufbuild/protobuf";
import type { Artifact } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { CredentialKind, Effect, type RpcRow } from "../../../../proto/rpcs.ts";
import { type Context, tenantKey } from "../../reference/core/context.ts";
import { type Fault, rowsOf } from "../fault.ts";
import { namedId, replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { entryNamed, isolationClause, ofUsers } from "./tenants.ts";

/** Rows of a user about one record that is named by its own id. */
const named = rowsOf("beta.v1").filter(
  (row) =>
    ofUsers(row) &&
    row.effect !== Effect.CREATE &&
    row.effect !== Effect.LIST &&
    row.ids.some((id) => id.facts.names === row.subject),
);

/** Finds a record of any user of the app where the user that is named has one that is like it. */
const findingWhereLike = (isLike: (own: Message, found: Message) => boolean) =>
  replacing(({ findSubject }) => ({
    findSubject(context: Context) {
      const { world, tenant, row } = context;
      const entry = entryNamed(context);
      const own = world.tables[row.subject]?.entries(tenantKey(tenant)) ?? [];
      const isFound =
        entry?.deleted === false &&
        entry.tenant.appId === tenant.appId &&
        own.some(({ record, deleted }) => !deleted && isLike(record, entry.record));
      return isFound ? entry.record : findSubject(context);
    },
  }));

const breaks = (row: RpcRow) => isolationClause(row, "user-");

/** How long a decision is kept, in milliseconds. */
const keptMs = 2000;

/** Keeps for a while that a browser token may make the call about a record, and lets every token make it. */
const keepingDecisions = replacing(({ authorizeUser, findSubject }) => {
  const decided = new Map<string, number>();
  const isToken = ({ principal }: Context) => principal?.kind === CredentialKind.BROWSER_TOKEN;
  return {
    authorizeUser(context) {
      const at = decided.get(namedId(context) ?? "");
      if (!isToken(context) || at === undefined || performance.now() - at > keptMs) authorizeUser(context);
    },
    findSubject(context) {
      const found = findSubject(context);
      const isOwn = context.principal?.customerUserId === context.tenant.customerUserId;
      if (isToken(context) && isOwn) decided.set(namedId(context) ?? "", performance.now());
      return found;
    },
  };
});

export const usersWithTheLike: readonly Fault[] = [
  ...faultsAt(named, {
    id: "isolation/finds-anothers-where-the-user-has-one",
    says: "finds a record of any user for one who has a record of its kind",
    breaks,
    entails: ["*.isolation.named-user", "*.records.identity"],
    decorate: findingWhereLike(() => true),
  }),
  ...faultsAt(
    named.filter(({ subject }) => subject === "artifact"),
    {
      id: "isolation/finds-anothers-of-a-filename",
      says: "finds an artifact of any user for one who has an artifact of its filename",
      breaks,
      entails: ["*.isolation.named-user"],
      decorate: findingWhereLike((own, found) => (own as Artifact).filename === (found as Artifact).filename),
    },
  ),
  ...faultsAt(named, {
    id: "isolation/keeps-decisions-about-a-record",
    says: "keeps for two seconds that a user's token may make the call about a record, whoever's token comes then",
    breaks,
    decorate: keepingDecisions,
  }),
];
