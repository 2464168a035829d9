import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { findRecord } from "../../harness/setup/listing.ts";
import { isDefault, listAt, sameJson, showJson } from "../../harness/wire/json.ts";
import { isObject } from "../../harness/wire/reply.ts";
import {
  namedResource,
  nameFieldOf,
  namingFilters,
  siblingsOf,
  subjectFieldOf,
  withoutNamingFilters,
} from "../../proto/resources.ts";
import { CredentialKind, Effect, type FactField, factsOf, type RpcRow } from "../../proto/rpcs.ts";
import { continuedAttempts } from "../common/continued-attempts.ts";
import { filledAttempts, turnedAttempts, unfilteredAttempts, unidentifiedAttempts } from "../common/filled-attempts.ts";
import { ofOneUser, userIsolationClause } from "../common/isolation-clause.ts";
import { type Attempt, judgeRefusals } from "../common/refusals.ts";
import { originalNameAttempts } from "../common/rewritten.ts";

/** True for an id that names one of a user's records. */
function namesOfUser(row: RpcRow, id: FactField): boolean {
  const fields = namedResource(row, id)?.fields.map(factsOf) ?? [];
  return fields.some(({ names, ownId }) => names === "customer_user" && !ownId);
}

/** RPCs whose request names a record of a user besides the user: their subject, or an input. */
const namesRecord = (row: RpcRow) =>
  row.list === undefined &&
  ((row.effect !== Effect.CREATE && subjectFieldOf(row) !== undefined) || row.ids.some((id) => namesOfUser(row, id)));

export const otherUsersToken = defineRule({
  id: "isolation/other-users-token-is-refused",
  says: "a browser token issued for one customer user gives no access to another user's records",
  clauses: ["*.isolation.user-read", "*.isolation.user-list", "*.isolation.user-stream", "*.isolation.user-mutate"],
  rows: ofOneUser,
  async run(context) {
    const { row, setup } = context;
    const clause = userIsolationClause(row);
    const other = await setup.otherUser();
    const as = await other.token(row);
    const attempts: Attempt[] = [{ because: "its token is another user's than it names", options: { as }, clause }];
    if (namesRecord(row)) {
      attempts.push({ because: "it names a record of another user", changes: other.fields, options: { as }, clause });
    }
    const plan = async (valid: JsonObject, subject: Subject | undefined): Promise<Attempt[]> => {
      const resumed = await continuedAttempts(context, subject, attempts);
      const own = await setup.credentialOfKind(CredentialKind.BROWSER_TOKEN, row, subject);
      const because = "it names another user than its token is for";
      const otherwise = [
        ...turnedAttempts(context, valid, attempts),
        ...unfilteredAttempts(context, valid, attempts),
        ...unidentifiedAttempts(context, valid, attempts),
        // Where a stream is resumed is one of the fields that are filled.
        ...(row.resumeAfter === undefined ? await filledAttempts(context, valid, subject, attempts) : []),
      ].map((attempt): Attempt => ({ ...attempt, forAnyReason: true }));
      const named: Attempt = { because, changes: other.fields, options: { as: own }, clause };
      const renamed = originalNameAttempts(context, valid, attempts.slice(-1));
      return [...attempts, ...resumed, ...otherwise, ...renamed, named];
    };
    await judgeRefusals(context, plan, {
      reasons: ["AUTHORIZATION_DENIED", "RESOURCE_NOT_FOUND", "AUTHENTICATION_REQUIRED"],
      reasonClause: "*.auth.reasons",
    });
  },
});

/** Whether a record says that it is of another user than the request's. */
export function namesAnother({ customerUserId }: JsonObject, named: JsonObject): boolean {
  return !isDefault(customerUserId) && !sameJson(customerUserId, named.customerUserId);
}

/** Those of some subjects that their ids tell from one's own: records that are shown under a wrong id may share it. */
export const toldFrom = (own: readonly Subject[], subjects: readonly Subject[]) =>
  subjects.filter(({ id }) => !own.some((one) => sameJson(one.id, id)));

/** Makes a record of another user that has the name of one of this user's: what is looked up by its name may be found for both. */
async function makeNamesake({ row, setup, call }: CaseContext, mine: Subject, other: JsonObject): Promise<void> {
  const creates = siblingsOf(row).find((one) => one.effect === Effect.CREATE && one.record !== undefined);
  const field = creates === undefined ? undefined : nameFieldOf(creates);
  if (creates === undefined || field === undefined || isDefault(mine.record[field])) return;
  // It may be refused: whose names are to differ is not shown.
  await call(creates, await setup.request(creates, undefined, { [field]: mine.record[field] ?? null, ...other }));
}

export const otherUsersListing = defineRule({
  id: "isolation/listing-shows-the-named-users-records-only",
  says: "a listing for one customer user shows no record of another, for every kind of credential",
  clauses: ["*.isolation.user-list", "*.isolation.named-user"],
  rows: (row) => ofOneUser(row) && row.list !== undefined,
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const mine = await setup.shared(row.subject);
    const other = await setup.otherUser();
    await makeNamesake(context, mine, other.fields);
    // Filters that name the user's own things would hide what a listing shows too much.
    const request = { ...withoutNamingFilters(row, await setup.request(row, mine)), ...other.fields };
    judge(await call(row, await setup.request(row, mine)), "*.endpoints.served").isServed();
    // Another credential, like another request, needs its own requestId.
    const fresh = (asked: JsonObject) => ({ ...asked, requestId: setup.requestId() });
    const filtered = { ...request, ...namingFilters(row, mine.record) };
    // A state that the record has is looked for by other code than all records are.
    const ofItsState = row.filters
      .filter(({ name, facts }) => facts.names === "" && !isDefault(mine.record[name]))
      .map(({ name }): JsonObject => ({ ...request, [name]: mine.record[name] ?? null }));
    const as = await other.token(row);
    // Without a user the token's own is meant, if anybody is.
    const { customerUserId: _, ...unnamed }: JsonObject = fresh(request);
    const byToken = [unnamed, request, fresh(filtered), ...ofItsState.map(fresh)];
    const replies = await Promise.all([
      ...byToken.map((asked) => call(row, asked, { as })),
      ...[request, filtered].map((asked) => call(row, fresh(asked))),
    ]);
    for (const [index, reply] of replies.entries()) {
      const clause = index < byToken.length ? "*.isolation.user-list" : "*.isolation.named-user";
      // A filter by another user's record may be refused, and so may a request that names nobody.
      if (reply.outcome === "refused" && (index === 0 || row.filters.length > 0)) {
        judge(reply, clause).isRefused();
        continue;
      }
      const items = listAt(needs(reply), row.list?.name ?? "").filter(isObject);
      const found = findRecord(items, row, mine.id) ?? items.find((item) => namesAnother(item, other.fields));
      judge(reply, clause).satisfies(found === undefined, "no record of another user", showJson(found ?? null));
    }
  },
});

export const namedUser = defineRule({
  id: "isolation/backend-key-is-limited-to-the-named-user",
  says: "a call by a backend key that names one customer user cannot reach a record of another user",
  clauses: ["*.isolation.named-user"],
  rows: (row) => ofOneUser(row) && namesRecord(row) && row.credentials.includes(CredentialKind.BACKEND_KEY),
  async run(context) {
    const other = await context.setup.otherUser();
    await judgeRefusals(context, () => [
      { because: "it names a record of another user than the one it names", changes: other.fields },
    ]);
  },
});

export const namedUserByToken = defineRule({
  id: "isolation/mcp-token-is-limited-to-the-named-user",
  says: "a call by an MCP OAuth token that names one customer user cannot reach a record of another user",
  clauses: ["*.isolation.named-user"],
  rows: (row) => namesRecord(row) && row.credentials.includes(CredentialKind.MCP_OAUTH_TOKEN),
  async run(context) {
    const { row, setup } = context;
    const kind = CredentialKind.MCP_OAUTH_TOKEN;
    const other = await setup.otherUser();
    const because = "it names a record of another user than the one it names";
    const plan = async (_valid: JsonObject, subject: Subject | undefined): Promise<Attempt[]> => [
      { because, changes: other.fields, options: { as: await setup.credentialOfKind(kind, row, subject) } },
    ];
    // Whose such a token is, is not shown: what it is served under the record's own user is what is refused under another.
    const control = { as: (subject: Subject | undefined) => setup.credentialOfKind(kind, row, subject) };
    await judgeRefusals(context, plan, { control: { ...control, clause: "*.auth.kinds" } });
  },
});
