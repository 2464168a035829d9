/** `hallmark/vitest`: the cases of Hallmark as tests of a vitest project. See docs/library.md. */
import { afterAll, describe, vi } from "vitest";
import { loadCases } from "../../suites/cases.ts";
import type { Depth } from "../case/result.ts";
import { createOrder } from "../runner/order.ts";
import { openSession } from "../runner/session.ts";
import type { TargetFile } from "../target/schema.ts";
import { chooseJudged } from "./choose.ts";
import { declareTests } from "./tests.ts";

export type { TargetFile };

/** What is judged, and how. Everything has a default. */
export interface ConformanceOptions {
  /**
   * The path of a target file, or what stands in one. Default: the environment's HALLMARK_TARGET (a path), HALLMARK_BASE_URL (an
   * address, which replaces that of the target file), else target.yaml where the tests are run.
   */
  readonly target?: string | TargetFile;
  /** Case ids, as `--only` takes them; default all. */
  readonly only?: readonly string[];
  /** Services, as `--service` takes them; default all. */
  readonly services?: readonly string[];
  /** The seed of everything generated; default a new one, which is printed. */
  readonly seed?: number;
  /** How much is asked, as `--depth` takes it; default `standard`. */
  readonly depth?: Depth;
  /** Runs per property; default those of the depth. */
  readonly runs?: number;
}

/** Tests under way at once: requests in flight are bounded by the target file besides. */
const concurrency = 32;

/**
 * Declares a test for each case, about the server that was chosen; says which that is. Await it at the top of a test file. Allure's
 * reporter gets labels, links and steps.
 *
 * @throws UsageError with one sentence where there is nothing to judge or an option is wrong, CommandFailure where the server
 *   cannot be reached
 */
export async function conformance(options: ConformanceOptions = {}): Promise<void> {
  const { target, only = [], services = [], depth, runs } = options;
  const seed = options.seed ?? Math.trunc(Math.random() * 2 ** 31);
  const cases = await loadCases();
  const { settings, command, title, close } = await chooseJudged(target, seed);
  const order = createOrder(
    {
      target: settings,
      seed,
      ...(depth === undefined ? {} : { depth }),
      ...(runs === undefined ? {} : { runs }),
      selection: { only, services },
      command,
      record: false,
    },
    cases,
  );
  const session = openSession(order, cases);
  vi.setConfig({ maxConcurrency: concurrency });
  describe(title, () => {
    declareTests(session);
    afterAll(close);
  });
}
