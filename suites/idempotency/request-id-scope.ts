import type { CallOptions } from "../../harness/case/call.ts";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { OtherTenant } from "../../harness/case/setup.ts";
import { idIn, ownIdIn } from "../../harness/setup/subject.ts";
import { sameJson, showJson, textAt } from "../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import { CredentialKind, Effect, isReadOnly, type RpcRow, serverKeyOf } from "../../proto/rpcs.ts";
import { callersWithout } from "../common/callers-without.ts";
import { callCurrent } from "../common/current-call.ts";
import { unknownBearer } from "../common/unknown-key.ts";

const mutating = (row: RpcRow) => row.requestId !== undefined && !row.stream;

const makesRecord = (row: RpcRow) => row.effect === Effect.CREATE && row.record !== undefined;

/** Calls that are about a record of their own workspace, or that give a credential out: elsewhere they have nothing to repeat. */
const isOfWorkspace = (row: RpcRow) =>
  !makesRecord(row) && !row.fixture && (!isReadOnly(row) || row.capabilityUrls.length > 0);

/**
 * Sends a served request again in another workspace, with that one's key. What names a record of the first is refused
 * there; what names none may be served, and then shows nothing of the first reply.
 */
async function judgeElsewhere(
  { row, setup, call, judge, needs }: CaseContext,
  first: Reply,
  { key, tenant }: OtherTenant,
  baseUrl: string | undefined,
): Promise<void> {
  const creates = row.effect === Effect.CREATE;
  // Other calls are about a record, which is named as before; a browser token is one of the user it is sent with.
  const isServerSide = serverKeyOf(row) !== undefined;
  const names = creates || !isServerSide ? Object.keys(tenant) : Object.keys(setup.tenant());
  const place = Object.fromEntries(names.map((name) => [name, tenant[name] ?? null]));
  const reply = await call(row, { ...first.request, ...place }, { as: key, baseUrl });
  const issued = row.plaintext.map(({ name }) => textAt(needs(first), name)).find((text) => text !== "");
  const shown = reply.outcome === "served" ? row.plaintext.map(({ name }) => textAt(reply.json, name)) : [];
  const repeats = issued !== undefined && shown.includes(issued);
  judge(reply, "*.idempotency.tenant", [first]).satisfies(
    reply.outcome !== "broken" && (creates ? !repeats : reply.outcome === "refused"),
    creates
      ? "a refusal, or a credential of the other workspace's own"
      : "a refusal: that workspace has no such record",
    repeats ? "the first workspace's credential" : describeReply(reply),
    creates ? row.plaintext[0]?.name : undefined,
  );
}

export const unauthorized = defineRule({
  id: "idempotency/replay-by-an-unauthorized-caller-is-refused",
  says: "a replay by a caller who is not authorized for the call is refused, although its requestId is known",
  clauses: ["*.idempotency.unauthorized-replay", "*.idempotency.tenant"],
  rows: mutating,
  async run({ setup: { apart } }) {
    const context = await apart();
    const { row, setup, call, judge, needs } = context;
    const subject = await setup.subjectOf(row);
    const baseUrl = setup.baseUrl(row, subject);
    const first = await callCurrent(context, subject);
    needs(first);
    const { request } = first;
    const other = await setup.otherTenant(row);
    const unscoped = await setup.keyWithoutScope(row);
    const others = (await callersWithout(context, subject)).filter(({ as }) => as.token !== unscoped.token);
    const callers: readonly (readonly [who: string, as: CallOptions["as"]])[] = [
      ["a caller without a credential", null],
      ["a caller with an unknown key", unknownBearer],
      [`a caller whose key lacks ${row.scope}`, unscoped],
      ...others.map(({ because, as }) => [`a caller who may not make the call: ${because}`, as] as const),
      // A key of both workspaces is the first caller's own.
      ...(other.sharesKey ? [] : [["a caller of another workspace", other.key] as const]),
      ...(row.credentials.includes(CredentialKind.BROWSER_TOKEN)
        ? [["another customer user", await (await setup.otherUser()).token(row)] as const]
        : []),
    ];
    const replies = await Promise.all(callers.map(([, as]) => call(row, request, { as, baseUrl })));
    for (const [index, reply] of replies.entries()) {
      judge(reply, undefined, [first]).isRefused({ because: `it is a replay by ${callers[index]?.[0]}` });
    }
    // The rule below asks what makes a record.
    if (isOfWorkspace(row)) await judgeElsewhere(context, first, other, baseUrl);
  },
});

export const otherUser = defineRule({
  id: "idempotency/request-id-is-user-scoped",
  says: "a requestId used for one customer user and reused for another does not return the first user's resource",
  clauses: ["*.idempotency.tenant"],
  rows: (row) =>
    mutating(row) &&
    row.effect === Effect.CREATE &&
    row.record !== undefined &&
    row.ids.some((id) => id.facts.names === "customer_user"),
  async run({ row, setup, call, judge, needs }) {
    const request = await setup.request(row, undefined);
    const first = await call(row, request);
    needs(first);
    const id = ownIdIn(first);
    const other = await setup.otherUser();
    const asked = { ...request, ...other.fields };
    for (const as of [undefined, await other.token(row)]) {
      const second = await call(row, asked, { as });
      const leaked = second.outcome === "served" && sameJson(idIn(second), id);
      judge(second, undefined, [first]).satisfies(
        second.outcome !== "broken" && !leaked,
        "a resource of the other user's own, or a refusal",
        leaked ? `the first user's ${showJson(id)}` : describeReply(second),
        "id",
      );
    }
  },
});

export const otherTenant = defineRule({
  id: "idempotency/request-id-is-tenant-scoped",
  says: "a requestId used in one workspace and reused in another neither returns the first workspace's resource nor is in conflict with its request",
  clauses: ["*.idempotency.tenant"],
  rows: (row) => mutating(row) && makesRecord(row),
  async run({ row, setup, call, judge, needs }) {
    const request = await setup.request(row, undefined);
    const first = await call(row, request);
    needs(first);
    const id = ownIdIn(first);
    const { key, tenant, sharesKey } = await setup.otherTenant(row);
    const second = await call(row, { ...request, ...tenant }, { as: key });
    const leaked = second.outcome === "served" && sameJson(idIn(second), id);
    judge(second, undefined, [first]).satisfies(
      second.outcome !== "broken" && !leaked,
      "a resource of the other workspace's own, or a refusal",
      leaked ? `the first workspace's ${showJson(id)}` : describeReply(second),
      "id",
    );
    // What is remembered of a key is of all that it serves; of another key, it is the first workspace's.
    if (sharesKey || second.outcome !== "refused" || second.error.reason !== "IDEMPOTENCY_CONFLICT") return;
    const spare = setup.spareFields(row.subject);
    const needed = Object.fromEntries(Object.entries(request).filter(([name]) => !spare.includes(name)));
    const fresh = await call(row, { ...needed, ...tenant, requestId: setup.requestId() }, { as: key });
    judge(second, undefined, [first, fresh]).satisfies(
      fresh.outcome !== "served",
      "an answer that knows nothing of the first workspace's requestId",
      describeReply(second),
    );
  },
});
