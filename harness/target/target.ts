import { readFileSync } from "node:fs";
import type { PackageName, RpcRow } from "../../proto/rpcs.ts";
import type { TlsTrust, WireLimits } from "../wire/request.ts";
import { nothingToAsk } from "./choice.ts";
import { UsageError } from "./load.ts";
import type { AlphaSettings, BetaSettings, TargetSettings } from "./schema.ts";

/** The target file lacks what a case needs: the case is not exercised, and says which key to add. */
export class NotExercised extends Error {
  readonly key: string;
  constructor(key: string, why: string) {
    super(`needs ${key} in the target file: ${why}`);
    this.key = key;
  }
}

/** What the target chose, where the contract leaves it the choice, keeps the case from being asked. */
export class ChosenOtherwise extends NotExercised {
  /** @param choice a sentence about the target: `the target refuses page sizes below 5` */
  constructor(choice: string) {
    super("", choice);
    this.message = `${nothingToAsk}${choice}`;
  }
}

/** A server under test as a case sees it: settings with the questions cases ask of them. */
export interface Target {
  readonly name: string;
  readonly settings: TargetSettings;
  readonly limits: WireLimits;
  readonly tls: TlsTrust;
  /** Packages that have a base URL. */
  readonly packages: readonly PackageName[];
  /** Settings of alpha.v1. Throws NotExercised where the target has none. */
  readonly alpha: AlphaSettings;
  /** Settings of beta.v1. Throws NotExercised where the target has none. */
  readonly beta: BetaSettings;
  /** Whether an address is at the origin of a base URL. */
  isOwn(address: string): boolean;
  /** Base URL an RPC is called on; fixtures have their own. Throws NotExercised where it is missing. */
  baseUrlOf(row: RpcRow): string;
}

/** The value, or NotExercised naming the key. */
export function needed<T>(value: T | undefined, key: string, why: string): T {
  if (value === undefined) throw new NotExercised(key, why);
  return value;
}

/** Makes a target of checked settings. @throws UsageError where no base URL is given or a file it names is missing */
export function createTarget(settings: TargetSettings): Target {
  const { alpha, beta } = settings;
  const packages: PackageName[] = [];
  if (alpha?.baseUrl !== undefined) packages.push("alpha.v1");
  if (beta?.baseUrl !== undefined) packages.push("beta.v1");
  if (packages.length === 0) {
    throw new UsageError(
      "The target has no base URL: give alpha.baseUrl or beta.baseUrl in the target file or --base-url.",
    );
  }
  let ca: string | undefined;
  if (settings.tls.caFile !== undefined) {
    try {
      ca = readFileSync(settings.tls.caFile, "utf8");
    } catch {
      throw new UsageError(
        `tls.caFile ${settings.tls.caFile} cannot be read; give the PEM file of the authority to trust.`,
      );
    }
  }
  const { patience, limits } = settings;
  const bases = [alpha?.baseUrl, alpha?.testBaseUrl, beta?.baseUrl];
  const origins = new Set(bases.flatMap((url) => (url === undefined ? [] : new URL(url).origin)));
  return {
    name: settings.name ?? alpha?.baseUrl ?? beta?.baseUrl ?? "target",
    settings,
    limits: { connectMs: patience.connectMs, replyMs: patience.replyMs, ...limits },
    tls: { ca, insecure: settings.tls.insecure },
    packages,
    get alpha() {
      return needed(alpha, "alpha", "the alpha.v1 service has no settings");
    },
    get beta() {
      return needed(beta, "beta", "the beta.v1 service has no settings");
    },
    isOwn: (address) => origins.has(URL.parse(address)?.origin ?? ""),
    baseUrlOf(row) {
      if (row.package === "beta.v1")
        return needed(this.beta.baseUrl, "beta.baseUrl", "it is where the service answers");
      if (!row.fixture) return needed(this.alpha.baseUrl, "alpha.baseUrl", "it is where the service answers");
      const { testBaseUrl, oneServer, baseUrl } = this.alpha;
      return needed(
        testBaseUrl ?? (oneServer ? baseUrl : undefined),
        "alpha.testBaseUrl",
        "fixtures answer there only",
      );
    },
  };
}
