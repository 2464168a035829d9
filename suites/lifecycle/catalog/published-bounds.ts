import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../../harness/case/context.ts";
import { randomContent } from "../../../harness/setup/alpha/content.ts";
import { declareUpload } from "../../../harness/setup/alpha/upload.ts";
import { retentionWithin } from "../../../harness/setup/alpha/upload-limits.ts";
import { needed } from "../../../harness/target/target.ts";
import { integerOf, listAt, textAt, valueAt } from "../../../harness/wire/json.ts";

/** What a mini app publishes of its artifacts. */
export interface Bounds {
  readonly miniAppId: string;
  readonly types: readonly string[];
  readonly maxBytes: bigint;
  /** Seconds; 0 where none is published. */
  readonly defaultRetention: number;
  readonly maxRetention: number;
  /** As it is published. */
  readonly maxRetentionText: string;
}

function secondsAt(json: JsonObject, path: string): number {
  const seconds = Number.parseFloat(textAt(json, path));
  return Math.abs(seconds) < Number.MAX_SAFE_INTEGER ? seconds : 0;
}

/** The bounds of the mini apps that the target file names. */
export async function publishedBounds({ target, setup, call, needs }: CaseContext): Promise<readonly Bounds[]> {
  needed(target.alpha.miniAppIds[0], "alpha.miniAppIds", "mini apps publish the bounds of uploads");
  return Promise.all(
    target.alpha.miniAppIds.map(async (miniAppId) => {
      const json = needs(await call("alpha.v1.CatalogService/GetMiniApp", { ...setup.tenant(), miniAppId }));
      const at = "miniApp.artifactConstraints";
      return {
        miniAppId,
        types: listAt(json, `${at}.acceptedMimeTypes`).map(String),
        maxBytes: integerOf(valueAt(json, `${at}.maximumObjectSizeBytes`)) ?? 0n,
        defaultRetention: secondsAt(json, `${at}.defaultRetention`),
        maxRetention: secondsAt(json, `${at}.maximumRetention`),
        maxRetentionText: textAt(json, `${at}.maximumRetention`),
      };
    }),
  );
}

/** Request fields of an upload that its mini app accepts, but for what is to be beyond a bound. */
export function fieldsOf({ target }: CaseContext, { miniAppId, types, maxRetention }: Bounds): JsonObject {
  const own = target.alpha.miniAppIds[0] === miniAppId ? target.alpha.artifactMimeType : types[0];
  const requestedRetention = retentionWithin(maxRetention > 0 ? `${maxRetention}s` : undefined);
  return { miniAppId, mimeType: own ?? target.alpha.artifactMimeType, requestedRetention };
}

/** Whether uploads to a mini app are taken at all: else a refusal of one says nothing. */
export async function takesUploads(context: CaseContext, bounds: Bounds): Promise<boolean> {
  const reply = await declareUpload(context, randomContent(context), fieldsOf(context, bounds));
  return reply.outcome === "served";
}

/** True for a list of types that may allow any: with a pattern in it. */
export const mayAllow = (types: readonly string[]) => types.some((type) => type.includes("*"));
