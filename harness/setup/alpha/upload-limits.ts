import type { CaseContext } from "../../case/context.ts";
import { needed } from "../../target/target.ts";
import { integerOf, listAt, objectAt, textAt, valueAt } from "../../wire/json.ts";

/** What the mini app that setup uploads to publishes of its uploads. */
export interface UploadLimits {
  /** Undefined where none is published. */
  readonly maxBytes: number | undefined;
  /** As the catalog writes it: `1800s`. Undefined where none is published. */
  readonly maxRetention: string | undefined;
  /** Types of content that are taken, as the catalog writes them: `text/*`. Empty where none is published. */
  readonly mimeTypes: readonly string[];
}

/** What setup asks for where that is within the limits, in seconds. */
const usualRetention = 3600;

/** A duration as the contract writes it, longer than nothing. */
const duration = /^(?=.*[1-9])\d{1,12}(\.\d{1,9})?s$/;

/** The seconds of a duration of that form. */
export const secondsOf = (text: string) => Number.parseFloat(text);

/** The mini app that uploads are made for. Throws NotExercised where the target file names none. */
export function uploadAppId({ target }: CaseContext): string {
  return needed(target.alpha.miniAppIds[0], "alpha.miniAppIds", "uploads are made for a mini app");
}

/**
 * The limits of uploads, read once in a run: a server is free to refuse what is beyond those that it publishes
 * (docs/contract/readings.md#27). None are known where the catalog is refused: that is for its own cases to say.
 */
export function uploadLimits(context: CaseContext): Promise<UploadLimits> {
  const miniAppId = uploadAppId(context);
  const what = `limits of uploads to ${miniAppId}`;
  return context.run.once(what, () =>
    context.shared(async ({ call, setup }) => {
      const reply = await call("alpha.v1.CatalogService/GetMiniApp", { ...setup.tenant(), miniAppId });
      const limits = reply.outcome === "served" ? objectAt(reply.json, "miniApp.artifactConstraints") : {};
      const maxBytes = Number(integerOf(valueAt(limits, "maximumObjectSizeBytes")) ?? 0n);
      const maxRetention = textAt(limits, "maximumRetention");
      return {
        maxBytes: maxBytes > 0 ? maxBytes : undefined,
        maxRetention: duration.test(maxRetention) ? maxRetention : undefined,
        mimeTypes: listAt(limits, "acceptedMimeTypes").map(String),
      };
    }, what),
  );
}

/** A retention that uploads may ask for where `maxRetention` is the longest: an hour, or all there is. */
export function retentionWithin(maxRetention: string | undefined): string {
  return maxRetention === undefined || secondsOf(maxRetention) >= usualRetention ? `${usualRetention}s` : maxRetention;
}
