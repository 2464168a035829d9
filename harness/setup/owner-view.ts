import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { readRowOf } from "../../proto/resources.ts";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { Unproven } from "../case/unproven.ts";
import { describeReply, isBareStatus, isObject, type Reply } from "../wire/reply.ts";
import { current, read } from "./read.ts";
import { isTombstone, shownIn, versionOf } from "./subject.ts";

type RefusedReply = Extract<Reply, { outcome: "refused" }>;

/** What a server says of itself, and not of what it was asked for. */
const ownReasons = new Set([
  "INTERNAL",
  "DEPENDENCY_UNAVAILABLE",
  "RATE_LIMITED",
  "QUOTA_EXHAUSTED",
  "CONCURRENCY_EXHAUSTED",
  "BILLING_BLOCKED",
]);
const ownCodes = new Set([
  "internal",
  "unknown",
  "unavailable",
  "unimplemented",
  "data_loss",
  "deadline_exceeded",
  "resource_exhausted",
  "aborted",
  "canceled",
]);

/** Statuses that may say that something is not there. */
const statusesOfRequests = new Set([400, 404, 409, 410]);

/** A refusal by an HTTP status alone that is about the request, as of a gateway: the code that a client infers from it says nothing. */
const isBareRefusal = ({ error }: RefusedReply) =>
  error.reason === undefined && isBareStatus(error) && statusesOfRequests.has(error.status);

/** The same of a refusal that goes on for longer than it may: its status came first. */
const isEndlessNotFound = ({ exchange: { response, failure } }: Reply) =>
  response?.status === 404 && failure?.kind === "too-large";

/** Whether a reading is refused as that of an unknown id is. Codes and reasons are open, so both are compared, and none is presumed. */
function isLike(refusal: Reply, ofUnknown: Reply): boolean {
  if (isEndlessNotFound(refusal)) return isEndlessNotFound(ofUnknown);
  if (refusal.outcome !== "refused" || ofUnknown.outcome !== "refused") return false;
  if (isBareRefusal(refusal)) return isBareRefusal(ofUnknown) && refusal.error.status === ofUnknown.error.status;
  const [{ reason, code }, unknown] = [refusal.error, ofUnknown.error];
  if (reason !== undefined || unknown.reason !== undefined) {
    return reason === unknown.reason && reason !== undefined && !ownReasons.has(reason);
  }
  return code === unknown.code && !ownCodes.has(code);
}

/** The reading of something of a subject's kind that never was. */
function readUnknown(context: CaseContext, subject: Subject): Promise<Reply> {
  const { random, run, setup } = context;
  const record: JsonObject = { ...subject.record, externalUserId: setup.name("nobody") };
  const id: JsonValue = isObject(subject.id) ? { value: random.uuidv7() } : random.uuidv7();
  const where = JSON.stringify([subject.kind, setup.tenant(), subject.baseUrl ?? ""]);
  return run.once(`reading of an unknown ${where}`, () => read(context, { ...subject, id, record }));
}

/**
 * What there is of something now, as its owner sees it; undefined where it is shown as deleted, or where its reading is
 * refused as that of an unknown id is. Throws Unproven where neither says so: a server that fails, or denies, hides
 * nothing that is gone.
 */
export async function ownerView(context: CaseContext, made: Subject): Promise<Subject | undefined> {
  const row = readRowOf(made.kind, context.row.package);
  if (row === undefined) {
    const listed = await current(context, made);
    return listed === undefined || isTombstone(listed.record) ? undefined : listed;
  }
  const reply = await read(context, made);
  if (reply.outcome === "served") {
    const record = shownIn(reply);
    return isTombstone(record) ? undefined : { ...made, record, version: versionOf(record), shownBy: row.name };
  }
  if (reply.outcome === "refused" || isEndlessNotFound(reply)) {
    if (isLike(reply, await readUnknown(context, made))) return undefined;
  }
  throw new Unproven(`${row.method} does not say that it is gone: ${describeReply(reply)}`, reply);
}
