import { existsSync } from "node:fs";
import type { RequestLimits } from "../case/order.ts";
import { credentialsOf } from "../target/keys.ts";
import { checkTarget, readTargetFile, UsageError } from "../target/load.ts";
import type { TargetFile, TargetSettings } from "../target/schema.ts";
import { createTarget } from "../target/target.ts";
import { createReceiver } from "../webhooks/receiver.ts";
import { discoverPackages } from "./discover.ts";
import { startOnThread } from "./on-thread.ts";
import { output } from "./output.ts";
import { preflight } from "./preflight.ts";
import { createProber, type Prober } from "./probe.ts";
import { quoteWord } from "./words.ts";

/** Flags that say what a run is made against. */
export interface TargetFlags {
  readonly embedded?: boolean;
  readonly baseUrl?: string;
  readonly testBaseUrl?: string;
  readonly betaBaseUrl?: string;
  readonly concurrency?: number;
  readonly readOnly?: boolean;
  readonly maxRequests?: number;
}

/** What a run is made against. */
export interface Chosen {
  readonly settings: TargetSettings;
  /** How a result says it is replayed. */
  readonly command: string;
  /** Requests it took to see that the target answers. */
  readonly sent: number;
  readonly close: () => Promise<void>;
}

/**
 * The target of the flags: a file, base URLs over it or alone, or the embedded references. It has been reached, unless
 * `reach` is false: then nothing is sent, and of a base URL alone it is not known which packages it serves.
 * @throws UsageError on flags and files that do not fit, CommandFailure where it cannot be reached
 */
export async function chooseTarget(file: string | undefined, flags: TargetFlags, reach = true): Promise<Chosen> {
  const urls = [flags.baseUrl, flags.testBaseUrl, flags.betaBaseUrl];
  if (flags.embedded === true) {
    if (file !== undefined || urls.some((url) => url !== undefined)) {
      throw new UsageError("--embedded brings its own target; leave the target file and the base URLs out.");
    }
    const reference = await startOnThread();
    const settings = checkTarget(withConcurrency(reference.file, flags), "the embedded reference");
    output.guard(credentialsOf(settings));
    return { settings, command: commandOf(undefined, flags), sent: 0, close: () => reference.close() };
  }
  if (file === undefined && flags.baseUrl === undefined && flags.betaBaseUrl === undefined) {
    throw new UsageError(
      "Nothing to run against, and no target.yaml here: give a target file, --base-url URL, or --embedded.",
    );
  }
  const written: TargetFile = file === undefined ? {} : readTargetFile(file);
  const settings = checkTarget(withConcurrency(withUrls(written, flags), flags), file ?? "--base-url");
  output.guard(credentialsOf(settings));
  const chosen = { command: commandOf(file, flags), close: async () => {} };
  if (!reach) return { ...chosen, settings, sent: 0 };
  const prober = createProber(createTarget(settings), limitsOf(flags));
  try {
    await preflight(createTarget(settings), prober);
    await checkReceiver(settings);
    const alone = file === undefined && flags.betaBaseUrl === undefined;
    const judged = alone ? await servedOnly(settings, prober) : settings;
    return { ...chosen, settings: judged, sent: prober.sent };
  } finally {
    await prober.close();
  }
}

/** Names of a target file that need not be given, the first one there is taken. */
const usualTargets = ["target.yaml", "target.yml", "target.json"];

/** The target file that is meant where nothing says what to run against: the one that lies here; undefined where none does. */
export function defaultTarget({ embedded, baseUrl, testBaseUrl, betaBaseUrl }: TargetFlags): string | undefined {
  const told = [embedded, baseUrl, testBaseUrl, betaBaseUrl].some((flag) => flag !== undefined);
  return told ? undefined : usualTargets.find((name) => existsSync(name));
}

/** Finds out before the run whether the webhook receiver can listen where it is to. @throws UsageError where it cannot */
async function checkReceiver({ webhooks }: TargetSettings): Promise<void> {
  if (webhooks === undefined) return;
  const receiver = await createReceiver(webhooks);
  await receiver.close();
}

/** What the flags let a run send. */
export function limitsOf({ readOnly, maxRequests }: TargetFlags): RequestLimits {
  return {
    ...(readOnly === true ? { readOnly } : {}),
    ...(maxRequests === undefined ? {} : { maxRequests }),
  };
}

function commandOf(file: string | undefined, flags: TargetFlags): string {
  const { embedded, baseUrl, testBaseUrl, betaBaseUrl, concurrency, readOnly } = flags;
  return [
    "hallmark run",
    ...(embedded === true ? ["--embedded"] : []),
    ...(file === undefined ? [] : [quoteWord(file)]),
    ...(baseUrl === undefined ? [] : [`--base-url ${baseUrl}`]),
    ...(testBaseUrl === undefined ? [] : [`--test-base-url ${testBaseUrl}`]),
    ...(betaBaseUrl === undefined ? [] : [`--beta-base-url ${betaBaseUrl}`]),
    ...(concurrency === undefined ? [] : [`--concurrency ${concurrency}`]),
    ...(readOnly === true ? ["--read-only"] : []),
  ].join(" ");
}

/** Base URLs of the flags over those of a file; without a file, `--base-url` is whichever packages it serves. */
function withUrls(written: TargetFile, { baseUrl, testBaseUrl, betaBaseUrl }: TargetFlags): TargetFile {
  const alone = written.alpha === undefined && written.beta === undefined;
  const forBeta = betaBaseUrl ?? (written.alpha === undefined ? baseUrl : undefined);
  const forAlpha = alone || written.alpha !== undefined ? baseUrl : undefined;
  const alpha = {
    ...written.alpha,
    ...(forAlpha === undefined ? {} : { baseUrl: forAlpha }),
    ...(testBaseUrl === undefined ? {} : { testBaseUrl }),
  };
  const beta = { ...written.beta, ...(forBeta === undefined ? {} : { baseUrl: forBeta }) };
  return {
    ...written,
    ...(Object.keys(alpha).length > 0 && { alpha }),
    ...(Object.keys(beta).length > 0 && { beta }),
  };
}

/** Leaves out a package that the one base URL given does not serve. */
async function servedOnly(settings: TargetSettings, prober: Prober): Promise<TargetSettings> {
  const served = await discoverPackages(createTarget(settings), prober);
  const { alpha, beta, ...rest } = settings;
  return {
    ...rest,
    ...(served.includes("alpha.v1") && alpha !== undefined ? { alpha } : {}),
    ...(served.includes("beta.v1") && beta !== undefined ? { beta } : {}),
  };
}

function withConcurrency(document: TargetFile, { concurrency }: TargetFlags): TargetFile {
  return concurrency === undefined ? document : { ...document, limits: { ...document.limits, concurrency } };
}
