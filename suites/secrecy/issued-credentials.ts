import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { numericVersion } from "../../harness/setup/integer.ts";
import { needsSecondRotation } from "../../harness/setup/second-rotation.ts";
import { describeReply } from "../../harness/wire/reply.ts";
import { deleteRowOf, listRowOf, readRowOf } from "../../proto/resources.ts";
import { Change, CredentialKind, type FactField, type RpcRow } from "../../proto/rpcs.ts";
import { issuing, judgeOnce, plaintextOf } from "./plaintext.ts";

/** The field that names the owner (user or session) of a credential that is not a record itself. */
function parentField(row: RpcRow): FactField | undefined {
  if (row.resource !== undefined) return undefined;
  return row.ids.findLast(({ facts }) => deleteRowOf(facts.names, row.package, row.peers) !== undefined);
}

/** The request of an issuing call, and the owner of the credential where it exists before the call. */
interface IssuingCall {
  readonly request: JsonObject;
  readonly owner: Subject | undefined;
}

async function prepare({ row, setup }: CaseContext): Promise<IssuingCall> {
  const parent = parentField(row);
  if (parent !== undefined) {
    const owner = await setup.fresh(parent.facts.names);
    return { request: { ...(await setup.request(row, undefined)), [parent.name]: owner.id }, owner };
  }
  const owner = await setup.subjectOf(row);
  return { request: await setup.request(row, owner), owner };
}

/** The kind of an issued credential's owner. */
const ownerKind = (row: RpcRow) => parentField(row)?.facts.names ?? row.subject;

/** Makes the mutations of the owner at a version that it does not have: what a refusal of them says is looked through, too. */
async function mutateStale({ row, setup, call }: CaseContext, owner: Subject): Promise<void> {
  const mutations = row.peers.filter((one) => one.subject === owner.kind && one.expectedVersion !== undefined);
  for (const mutation of mutations) {
    const now = (await setup.current(owner)) ?? owner;
    const version = String(numericVersion(now) + 7n);
    const reply = await call(mutation, await setup.request(mutation, { ...now, version }));
    // That it was served is for cases about versions to say.
    if (reply.outcome === "served") return;
  }
}

/** Deletes the owner of a credential, at its current version. */
async function remove({ setup, call, needs }: CaseContext, owner: Subject): Promise<void> {
  const row = setup.deleteOf(owner.kind);
  const ready = await setup.deletable((await setup.current(owner)) ?? owner);
  needs(await call(row, await setup.request(row, ready)));
}

export const inNoOtherReply = defineRule({
  id: "secrecy/issued-plaintext-appears-in-no-other-reply",
  says: "an issued credential appears in no later reply about its owner, replays and refusals included",
  clauses: ["*.credentials.elsewhere", "*.webhooks.secret-elsewhere", "*.webhooks.signing-secret"],
  rows: (row) => row.plaintext.length > 0,
  async run(context) {
    const { row, run, setup, call, judge, needs } = context;
    const { request, owner: before } = await prepare(context);
    const first = await call(row, request);
    needs(first);
    const plaintext = plaintextOf(first);
    const clause = row.record === undefined ? "*.credentials.first" : "*.webhooks.signing-secret";
    judge(first, clause).satisfies(plaintext !== "", "a credential", describeReply(first), row.plaintext[0]?.name);
    if (row.record === undefined) run.secrets.register(plaintext, "an issued credential", "issued credential");
    else run.secrets.register(plaintext, "a signing secret", "signing secret");
    const owner = before ?? setup.subjectIn(first);
    // These replies are judged by the invariant on secrets.
    const [read, list] = [readRowOf(owner.kind, row.package), listRowOf(owner.kind, row.package)];
    const current = (await setup.current(owner)) ?? owner;
    if (read !== undefined) await setup.read(current);
    if (list !== undefined) await call(list, await setup.request(list, current));
    await call(row, request);
    await call(row, { ...request, workspaceId: setup.requestId() });
    await mutateStale(context, current);
    await setup.change((await setup.current(current)) ?? current);
    await remove(context, owner);
    await call(row, { ...request, requestId: setup.requestId() });
  },
});

export const afterOwnerDeletion = defineRule({
  id: "secrecy/replay-after-owner-deletion-returns-no-plaintext",
  says: "a replay after the deletion of the user or session that a credential was issued for does not return its plaintext",
  clauses: ["*.credentials.once"],
  rows: (row) => issuing(row) && parentField(row) !== undefined,
  async run(context) {
    const { row, call, needs } = context;
    const { request, owner } = await prepare(context);
    const first = await call(row, request);
    needs(first);
    if (owner !== undefined) await remove(context, owner);
    judgeOnce(context, [first, await call(row, request)]);
  },
});

export const afterOwnerChange = defineRule({
  id: "secrecy/replay-after-a-change-of-the-owner-returns-no-plaintext",
  says: "a replay after the user or endpoint that a credential was issued for was changed, or its grant revoked, does not return its plaintext",
  clauses: ["*.credentials.once"],
  rows: (row) =>
    issuing(row) &&
    row.peers.some((one) => one.subject === ownerKind(row) && one.change === Change.SETS) &&
    (parentField(row) !== undefined || row.change === Change.ROTATES),
  async run(context) {
    const { row, setup, call, needs } = context;
    const { request, owner } = await prepare(context);
    if (owner === undefined) throw new Error(`${row.name} issues for nobody`);
    const first = await call(row, request);
    needs(first);
    await setup.change((await setup.current(owner)) ?? owner);
    const replies = [first, await call(row, request), await call(row, request)];
    const revoke = row.peers.find((one) => one.subject === owner.kind && one.change === Change.REVOKES);
    if (revoke !== undefined) {
      const revoked = await call(revoke, await setup.request(revoke, (await setup.current(owner)) ?? owner));
      // That a grant is not revoked is for other cases to say.
      if (revoked.outcome === "served") replies.push(await call(row, request));
    }
    judgeOnce(context, replies);
  },
});

export const reusedByRotation = defineRule({
  id: "secrecy/request-id-reused-by-another-rotation-returns-no-second-plaintext",
  says: "the requestId of a rotation, reused for a rotation of the next version, returns the first plaintext neither then nor for the first request again",
  clauses: ["*.credentials.once"],
  rows: (row) => issuing(row) && row.change === Change.ROTATES,
  async run(context) {
    const { row, setup, call, needs, judge } = context;
    const { request, owner } = await prepare(context);
    if (owner === undefined) throw new Error(`${row.name} has no subject`);
    const first = await call(row, request);
    needs(first);
    const next = await setup.request(row, (await setup.current(owner)) ?? owner);
    const { requestId = null } = request;
    // It may be refused, or be new, with a credential of its own (docs/contract/readings.md#3).
    const other = await call(row, { ...next, requestId });
    judge(other, undefined, [first]).satisfies(
      plaintextOf(other) === "" || plaintextOf(other) !== plaintextOf(first),
      "a refusal, no plaintext, or another credential",
      "the plaintext of the first call",
      row.plaintext[0]?.name,
    );
    judgeOnce(context, [first, await call(row, request)]);
  },
});

export const afterRotation = defineRule({
  id: "secrecy/replay-after-the-next-rotation-returns-no-plaintext",
  says: "a replay of a rotation after the next rotation, or after a deletion, returns neither plaintext",
  clauses: ["*.credentials.once", "*.credentials.reissue"],
  rows: (row) => issuing(row) && row.change === Change.ROTATES,
  async run(context) {
    const { row, setup, call, needs, judge } = context;
    const { request, owner } = await prepare(context);
    if (owner === undefined) throw new Error(`${row.name} has no subject`);
    const first = await call(row, request);
    needs(first);
    const second = await call(row, await setup.request(row, (await setup.current(owner)) ?? owner));
    needsSecondRotation(context, second);
    judge(second, "*.credentials.reissue", [first]).satisfies(
      plaintextOf(second) !== "" && plaintextOf(second) !== plaintextOf(first),
      "another credential than the first rotation's",
      plaintextOf(second) === "" ? "none" : "the same again",
      row.plaintext[0]?.name,
    );
    const replay = await call(row, request);
    await remove(context, owner);
    judgeOnce(context, [first, replay, await call(row, request)]);
  },
});

export const byAnotherCaller = defineRule({
  id: "secrecy/replay-by-another-caller-does-not-return-the-plaintext",
  says: "a replay by another authorized caller does not return the plaintext issued to the first caller",
  clauses: ["*.credentials.once"],
  rows: issuing,
  async run({ setup: { apart } }) {
    const context = await apart();
    const { row, setup, call, judge, needs } = context;
    const { request } = await prepare(context);
    const first = await call(row, request);
    needs(first);
    const callers = [await setup.keyWithScope(row)];
    if (row.credentials.includes(CredentialKind.IDP_USER))
      callers.push(await setup.credentialOfKind(CredentialKind.IDP_USER, row));
    for (const as of callers) {
      const reply = await call(row, request, { as });
      judge(reply, undefined, [first]).satisfies(
        reply.outcome !== "broken" && (plaintextOf(reply) === "" || plaintextOf(reply) !== plaintextOf(first)),
        "a refusal, no plaintext, or one of its own",
        reply.outcome === "broken" ? describeReply(reply) : "the plaintext issued to the first caller",
        row.plaintext[0]?.name,
      );
    }
  },
});
