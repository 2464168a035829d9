import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { Unproven } from "../../case/unproven.ts";
import { needed } from "../../target/target.ts";
import { bodyOf, type Exchange } from "../../wire/exchange.ts";
import { textAt } from "../../wire/json.ts";
import type { Reply } from "../../wire/reply.ts";
import { type Content, describeContent, download, upload, uploadSoon, wentThrough } from "./content.ts";
import { recordIn, versionOf } from "../subject.ts";

/** An upload that was declared: the reply that gave its address, and the artifact it is for. */
export interface Declared {
  readonly reply: Reply;
  readonly artifact: Subject;
  readonly content: Content;
}

/** Content to upload, of the type the target file names. */
export function contentOf(context: CaseContext, bytes: Uint8Array): Content {
  return describeContent(bytes, context.target.alpha.artifactMimeType);
}

/** An artifact as a reply showed it. */
export function artifactIn(reply: Reply): Subject {
  const record = recordIn(reply);
  return { kind: "artifact", id: record.id ?? null, record, version: versionOf(record), changesOnlyByMutation: true };
}

/** Calls CreateArtifactUpload for some content. `changes` are request fields that differ. */
export async function declareUpload(context: CaseContext, content: Content, changes: JsonObject = {}): Promise<Reply> {
  const { setup, target } = context;
  return context.call("alpha.v1.ArtifactService/CreateArtifactUpload", {
    requestId: setup.requestId(),
    ...setup.tenant(),
    miniAppId: needed(target.alpha.miniAppIds[0], "alpha.miniAppIds", "uploads are made for a mini app"),
    name: setup.name("artifact"),
    ...content.declared,
    ...changes,
  });
}

/** Declares an upload that must be possible. */
export async function declared(
  context: CaseContext,
  content: Content,
  changes: JsonObject = { requestedRetention: "3600s" },
): Promise<Declared> {
  const reply = await declareUpload(context, content, changes);
  context.needs(reply);
  return { reply, artifact: artifactIn(reply), content };
}

/** Uploads bytes to where a declaration says; by default the declared ones. */
export function send(context: CaseContext, { reply, content }: Declared, bytes = content.bytes): Promise<Exchange> {
  return upload(context, context.needs(reply), bytes, context.run.fullKey("alpha.v1"));
}

/** Calls CompleteArtifactUpload at the artifact's version of now: an upload may count as a change. */
export async function complete(context: CaseContext, artifact: Subject): Promise<Reply> {
  const { setup } = context;
  const now = (await setup.current(artifact)) ?? artifact;
  return context.call("alpha.v1.ArtifactService/CompleteArtifactUpload", {
    requestId: setup.requestId(),
    ...setup.tenant(),
    artifactId: artifact.id,
    expectedResourceVersion: now.version,
  });
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

/** Brings content onto the target: declared, uploaded, completed and available; else the case is unproven. */
export async function stored(context: CaseContext, content: Content): Promise<Declared> {
  const { created: upload, sent } = await uploadSoon(
    () => declared(context, content),
    (one) => send(context, one),
  );
  if (!wentThrough(sent)) {
    throw new Unproven(`needs an upload to uploadUrl, which answered ${describeAnswer(sent)}`);
  }
  const completed = await complete(context, upload.artifact);
  context.needs(completed);
  const available = await untilAvailable(context, upload.artifact, context.target.settings.patience.settleMs);
  if (available === undefined) throw new Unproven("needs an available artifact; a completed one did not become so");
  return { ...upload, artifact: artifactIn(available) };
}

/** What an upload or download address answered, for findings. */
export function describeAnswer({ response, failure }: Exchange): string {
  if (response === undefined || !response.ended) return failure?.message ?? "an answer that was cut short";
  return `HTTP ${response.status} with ${bodyOf(response).byteLength} bytes`;
}

/** Calls CreateArtifactDownload. */
export function askDownload(context: CaseContext, artifact: Subject): Promise<Reply> {
  const { setup } = context;
  return context.call("alpha.v1.ArtifactService/CreateArtifactDownload", {
    requestId: setup.requestId(),
    ...setup.tenant(),
    artifactId: artifact.id,
  });
}

/** Fetches what a CreateArtifactDownload reply gives the address of. */
export function fetchDownload(context: CaseContext, reply: Reply): Promise<Exchange> {
  return download(context, context.needs(reply), context.run.fullKey("alpha.v1"));
}

/** What an artifact's record must go on showing of its declaration. */
export function declaredFields({ reply }: Declared): JsonObject {
  const { name, mimeType, sizeBytes, sha256Hex } = reply.request;
  return { name: name ?? "", mimeType: mimeType ?? "", sizeBytes: sizeBytes ?? "", sha256Hex: sha256Hex ?? "" };
}
