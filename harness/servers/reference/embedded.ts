import type { PackageName } from "../../../proto/rpcs.ts";
import type { TargetFile } from "../../target/schema.ts";
import {
  type AlphaReference,
  type BetaReference,
  type BetaReferenceOptions,
  type ReferenceOptions,
  startAlphaReference,
  startBetaReference,
} from "./main.ts";
import { alphaTargetFile, betaSection } from "./target-file.ts";

/** Which reference services to start, and how. A package that is not named is not started. */
export interface EmbeddedOptions {
  readonly "alpha.v1"?: ReferenceOptions;
  readonly "beta.v1"?: BetaReferenceOptions;
}

/** Reference services in this process, and the target file they make. */
export interface Embedded {
  readonly alpha: AlphaReference | undefined;
  readonly beta: BetaReference | undefined;
  readonly file: TargetFile;
  /** Stops them. Idempotent. */
  close(): Promise<void>;
}

/** The services that have a suite, as they are. */
export const judgedServices: EmbeddedOptions = { "alpha.v1": {}, "beta.v1": {} };

/** One service, with these options. */
export function onlyService(packageName: PackageName, options: object = {}): EmbeddedOptions {
  return { [packageName]: options };
}

/** Starts reference services. Rejects where one cannot listen, with none left running. */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const alphaOptions = options["alpha.v1"];
  const betaOptions = options["beta.v1"];
  const alpha = alphaOptions === undefined ? undefined : await startAlphaReference(alphaOptions);
  try {
    const beta = betaOptions === undefined ? undefined : await startBetaReference(betaOptions);
    return {
      alpha,
      beta,
      file: {
        ...(alpha === undefined ? { webhooks: { listen: "127.0.0.1:0" } } : alphaTargetFile(alpha)),
        ...(beta === undefined ? {} : { beta: betaSection(beta) }),
        name: "embedded reference",
      },
      close: async () => {
        await Promise.all([alpha?.close(), beta?.close()]);
      },
    };
  } catch (error) {
    await alpha?.close();
    throw error;
  }
}
