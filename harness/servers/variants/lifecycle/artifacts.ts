import type { JsonValue } from "@bufbuild/protobuf";
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { ArtifactService } from "../../../../proto/gen/alpha/v1/artifact_service_pb.js";
import { type Artifact, ArtifactState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { around, forRpc } from "../../reference/core/decoration.ts";
import { idText } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import type { AlphaWorld } from "../../reference/main.ts";
import { isObject } from "../json.ts";
import { type AlphaVariant, defineAlphaVariant } from "../variant.ts";

const createUpload = "alpha.v1.ArtifactService/CreateArtifactUpload";

/** How long what a job results in is not shown yet, in milliseconds. */
const unseenMs = 250;

/** A record of an artifact with its digest in upper case. */
const inUpperCase = (artifact: JsonValue | undefined) =>
  isObject(artifact) ? { ...artifact, sha256Hex: String(artifact.sha256Hex ?? "").toUpperCase() } : (artifact ?? null);

/** Uploads, downloads and what becomes of artifacts. */
export const artifactVariants: readonly AlphaVariant[] = [
  defineAlphaVariant({
    id: "wrong-content-refused-at-upload",
    says: "refuses wrong content as it is uploaded",
    open: ["alpha.open.constraints"],
    decoration: { choices: { wrongContent: "refuse upload" } },
  }),
  defineAlphaVariant({
    id: "true-digest-recorded",
    says: "completes an upload of other content under its true digest",
    open: ["alpha.open.constraints"],
    decoration: { choices: { wrongContent: "record true digest" } },
  }),
  defineAlphaVariant({
    id: "digests-in-upper-case",
    says: "shows digests in hexadecimal with upper-case letters",
    open: ["alpha.open.constraints"],
    decoration: {
      reply(json) {
        const { artifact, artifacts } = json;
        if (isObject(artifact)) return { ...json, artifact: inUpperCase(artifact) };
        return Array.isArray(artifacts) ? { ...json, artifacts: artifacts.map(inUpperCase) } : json;
      },
    },
  }),
  defineAlphaVariant({
    id: "results-show-later",
    says: "shows what a job results in a moment after the job has ended",
    open: ["alpha.open.consistency"],
    // A job that ends as it is undone leaves what nobody can see yet.
    outOfReach: ["artifact"],
    decoration: {
      handlers: around(ArtifactService.method.getArtifact, (next) => async (context, request) => {
        const reply = await next(context, request);
        const { owningJobId, createdAt } = reply.artifact ?? {};
        const madeMs = createdAt === undefined ? 0 : timestampMs(createdAt as Timestamp);
        if (owningJobId !== undefined && context.world.clock.now() - madeMs < unseenMs)
          refuse("RESOURCE_NOT_FOUND", "no such artifact");
        return reply;
      }),
    },
  }),
  defineAlphaVariant({
    id: "retention-cut-down",
    says: "keeps an artifact no longer than it ever does",
    open: ["alpha.open.constraints"],
    decoration: { choices: { longRetention: "cut down" } },
  }),
  defineAlphaVariant({
    id: "empty-uploads-not-completed",
    says: "takes uploads of no bytes, and refuses their completion",
    open: ["alpha.open.constraints", "alpha.open.transitions"],
    decoration: {
      handlers: around(ArtifactService.method.completeArtifactUpload, (next) => (context, request) => {
        const { record } = context.world.tables.artifact.find(idText(request.artifactId)) ?? {};
        if (record !== undefined && (record as Artifact).sizeBytes === 0n)
          refuse("FAILED_PRECONDITION", "nothing was uploaded yet");
        return next(context, request);
      }),
    },
  }),
  defineAlphaVariant({
    id: "upload-by-post",
    says: "takes uploads by POST",
    open: ["alpha.open.url-life"],
    decoration: { choices: { uploadMethod: "POST" } },
    target: (file) => ({ ...file, alpha: { ...file.alpha, upload: { ...file.alpha?.upload, method: "POST" } } }),
  }),
  defineAlphaVariant({
    id: "upload-with-key",
    says: "wants the API key at upload and download URLs too",
    open: ["alpha.open.url-life"],
    decoration: {
      raw(request, response, next) {
        const content = /^\/(up|down)loads\//.test(request.url ?? "");
        if (!content || /^bearer \S+$/i.test(request.headers.authorization ?? "")) return next();
        request.resume();
        response.writeHead(401).end();
      },
    },
    target: (file) => ({ ...file, alpha: { ...file.alpha, upload: { ...file.alpha?.upload, authorization: true } } }),
  }),
  defineAlphaVariant({
    id: "content-elsewhere",
    says: "sends uploads and downloads on to where the content is kept",
    open: ["alpha.open.url-life"],
    decoration: {
      raw(request, response, next) {
        const { url = "" } = request;
        if (url.startsWith("/kept/")) request.url = url.slice("/kept".length);
        if (!/^\/(up|down)loads\//.test(url)) return next();
        request.resume();
        response.writeHead(url.startsWith("/uploads/") ? 307 : 302, { location: `/kept${url}` }).end();
      },
    },
  }),
  defineAlphaVariant({
    id: "no-required-headers",
    says: "requires no headers of an upload",
    open: ["alpha.open.url-life", "alpha.open.constraints"],
    decoration: {
      reply: forRpc(createUpload, ({ requiredHeaders: _, ...json }) => json),
      parts: () => ({ acceptUpload() {} }),
    },
  }),
  defineAlphaVariant({
    id: "short-urls",
    says: "gives out URLs that are good for two seconds",
    open: ["alpha.open.url-life"],
    decoration: { choices: { uploadUrlLifetimeMs: 2000, downloadUrlLifetimeMs: 2000 } },
  }),
  defineAlphaVariant({
    id: "verified-later",
    says: "checks an upload behind the reply to its completion",
    open: ["alpha.open.transitions"],
    decoration: {
      handlers: around<typeof ArtifactService.method.completeArtifactUpload, AlphaWorld>(
        ArtifactService.method.completeArtifactUpload,
        (next) => async (context, request) => {
          const { artifact } = await next(context, request);
          const table = context.world.tables.artifact;
          const id = idText(artifact?.id);
          const pending = table.change(id, { state: ArtifactState.PENDING_UPLOAD });
          context.world.clock.after(25, () => {
            const entry = table.find(id);
            if (entry !== undefined && !entry.deleted) table.change(id, { state: ArtifactState.AVAILABLE });
          });
          return { $typeName: "alpha.v1.CompleteArtifactUploadResponse", artifact: pending };
        },
      ),
    },
  }),
];
