import type { JsonObject } from "@bufbuild/protobuf";
import { rpc } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { Unproven } from "../../case/unproven.ts";
import type { Exchange, Header } from "../../wire/exchange.ts";
import { objectAt, textAt } from "../../wire/json.ts";
import type { Reply } from "../../wire/reply.ts";
import { callToCreate } from "../create.ts";
import { mayHaveLapsed } from "../good-until.ts";
import { recordIn, subjectFrom } from "../subject.ts";
import type { Content } from "./content.ts";
import { describeAnswer, transfer, wentThrough } from "./transfer.ts";

const createUpload = rpc("alpha.v1.ArtifactService/CreateArtifactUpload");
const completeUpload = rpc("alpha.v1.ArtifactService/CompleteArtifactUpload");

/** How often an upload is declared at most until its address takes the bytes. */
const maxUploads = 3;

/** An upload that was declared: the reply that gave its address, and the artifact it is for. */
export interface Declared {
  readonly reply: Reply;
  readonly artifact: Subject;
  readonly content: Content;
}

/** An artifact as a reply showed it. */
export function artifactIn(reply: Reply): Subject {
  return subjectFrom(reply.row, recordIn(reply), { shownBy: reply.row.name });
}

/** Calls CreateArtifactUpload for some content. `changes` are request fields that differ. */
export async function declareUpload(
  { call, setup }: CaseContext,
  content: Content,
  changes: JsonObject = {},
): Promise<Reply> {
  const fields = { name: setup.name("artifact"), ...content.declared, ...changes };
  return call(createUpload, await setup.request(createUpload, undefined, fields));
}

/** Declares an upload that must be possible: else the case is unproven. `changes` are request fields that differ. */
export async function declared(context: CaseContext, content: Content, changes: JsonObject = {}): Promise<Declared> {
  const fields = { name: context.setup.name("artifact"), ...content.declared, ...changes };
  const reply = await callToCreate(context, createUpload, fields);
  context.needs(reply);
  return { reply, artifact: artifactIn(reply), content };
}

/**
 * Uploads bytes, by default the declared ones, to where a declaration says, with exactly the headers it requires.
 *
 * @param pieces in how many pieces they are sent, without their length; by default whole
 */
export async function send(
  context: CaseContext,
  { reply, content }: Declared,
  bytes = content.bytes,
  pieces?: number,
): Promise<Exchange> {
  const { method, authorization } = context.target.alpha.upload;
  const created = context.needs(reply);
  const headers = Object.entries(objectAt(created, "requiredHeaders")).map(
    ([name, value]): Header => [name, String(value)],
  );
  return transfer(context, {
    url: textAt(created, "uploadUrl"),
    givenBy: createUpload.name,
    method,
    headers,
    body: bytes,
    ...(pieces === undefined ? {} : { pieces }),
    ...(authorization ? { as: await context.setup.credential(createUpload) } : {}),
  });
}

/** Declares an upload and sends its bytes; else the case is unproven. */
export function uploaded(context: CaseContext, content: Content, changes: JsonObject = {}): Promise<Declared> {
  return uploadedAs(context, () => declared(context, content, changes));
}

/**
 * Sends the bytes of what `declare` declares; else the case is unproven. An address may be good for a moment only, and a
 * request may have to wait for its turn: then another upload is declared. Undefined where none was.
 */
export async function uploadedAs<D extends Declared | undefined>(
  context: CaseContext,
  declare: () => Promise<D>,
): Promise<D> {
  for (let left = maxUploads; ; left -= 1) {
    const upload = await declare();
    if (upload === undefined) return upload;
    const sent = await send(context, upload);
    if (wentThrough(sent)) return upload;
    if (left === 1) throw new Unproven(`needs an upload to uploadUrl, which answered ${describeAnswer(sent)}`);
  }
}

async function completeAt({ call, setup }: CaseContext, artifact: Subject): Promise<Reply> {
  return call(completeUpload, await setup.request(completeUpload, artifact));
}

/** Calls CompleteArtifactUpload at the artifact's version of now: an upload may count as a change. */
export async function complete(context: CaseContext, artifact: Subject): Promise<Reply> {
  return completeAt(context, (await context.setup.current(artifact)) ?? artifact);
}

/** True for an artifact that can be downloaded. */
export function isAvailable(artifact: JsonObject): boolean {
  return textAt(artifact, "state") === "ARTIFACT_STATE_AVAILABLE";
}

/** Reads an artifact until it is available; undefined when it is not within `withinMs`. */
export function untilAvailable(context: CaseContext, artifact: Subject, withinMs: number): Promise<Reply | undefined> {
  return context.poll(async () => {
    const reply = await context.setup.read(artifact);
    return isAvailable(recordIn(reply)) ? reply : undefined;
  }, withinMs);
}

/** An upload, and what its completion came to: made anew where the artifact may have lapsed before, which waits for it for an open time. */
async function completedInTime(
  context: CaseContext,
  content: Content,
  changes: JsonObject,
): Promise<Declared & { readonly last: Reply }> {
  for (let left = maxUploads; ; left -= 1) {
    const upload = await uploaded(context, content, changes);
    // Not read before, unless it must be: what is wrong with reading is for other cases to say.
    let last = await completeAt(context, upload.artifact);
    if (last.outcome === "refused") last = await complete(context, upload.artifact);
    const isGood = !mayHaveLapsed(upload.reply, Date.now());
    if (last.outcome === "served" || isGood || left === 1) return { ...upload, last };
  }
}

/**
 * Brings content onto the target: declared, uploaded, completed and available; else the case is unproven. `changes` are
 * fields of its declaration that differ.
 */
export async function stored(context: CaseContext, content: Content, changes: JsonObject = {}): Promise<Declared> {
  const { last, ...upload } = await completedInTime(context, content, changes);
  context.needs(last);
  if (isAvailable(recordIn(last))) return { ...upload, artifact: artifactIn(last) };
  // Verification may go on behind the reply.
  const available = await untilAvailable(context, upload.artifact, context.target.settings.patience.settleMs);
  if (available === undefined) throw new Unproven("needs an available artifact; a completed one did not become so");
  return { ...upload, artifact: artifactIn(available) };
}

/** What an artifact's record must go on showing of its declaration. */
export function declaredFields({ reply }: Declared): JsonObject {
  const { name, mimeType, sizeBytes, sha256Hex } = reply.request;
  return { name: name ?? "", mimeType: mimeType ?? "", sizeBytes: sizeBytes ?? "", sha256Hex: sha256Hex ?? "" };
}
