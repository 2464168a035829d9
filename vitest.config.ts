import { defineConfig } from "vitest/config";

/** Unit tests that take minutes: `npm run test:full`. */
const long = ["harness/cli/replay.test.ts"];

/** Tests that need Debian's chromium, or its tmux: `npm run test:browser`. */
const onScreen = ["reports/{browser,pictures}.test.ts", "harness/cli/tmux.test.ts"];

/** Tests that install packages from the registry, with chromium for what one of those makes: `npm run test:package`. */
const fromRegistry = ["harness/package/package.test.ts", ".ci/allure/allure.test.ts"];

/** How long a test may take, in milliseconds: many run the command line or a whole server, and machines of CI are slow and busy. */
const longest = 240_000;

/** A gate in CI has half an hour: it proves the share that `npm test` proves, another for each commit. */
const share = process.env.HALLMARK_PROOF === "share" ? "share" : "whole";

/** Hallmark's own tests. `hallmark run` does without vitest. */
const own = [
  {
    test: {
      name: "unit",
      include: ["{.ci,proto,harness,reports,suites}/**/*.test.ts"],
      exclude: [...onScreen, ...fromRegistry, ...long],
      testTimeout: longest,
      // To load a thousand modules anew for each of some four hundred files takes longer than what most of them test.
      isolate: false,
    },
  },
  {
    // The suites against the embedded reference, and a share of the proof of both.
    test: {
      name: "suites",
      include: ["suites/*.spec.ts"],
      // The last requirements on the reference are another whole run.
      exclude: ["suites/hostile.spec.ts", "suites/target.spec.ts", "suites/requirements.spec.ts"],
      provide: { proof: "share" },
      maxConcurrency: 32,
      testTimeout: longest,
    },
  },
  {
    // The same with the whole proof, and what takes minutes.
    test: {
      name: "full",
      include: ["suites/*.spec.ts", ".ci/**/*.spec.ts", ...long],
      exclude: ["suites/hostile.spec.ts", "suites/target.spec.ts"],
      provide: { proof: share },
      maxConcurrency: 32,
      testTimeout: longest,
    },
  },
  {
    // Measures time and memory, so it runs once all others are through.
    test: {
      name: "hostile",
      include: ["suites/hostile.spec.ts"],
      provide: { proof: share },
      sequence: { groupOrder: 1 },
    },
  },
  {
    test: { name: "browser", include: onScreen, testTimeout: longest },
  },
  {
    // One after the other: installations and whole runs leave a browser nothing of a small machine.
    test: { name: "package", include: fromRegistry, testTimeout: 900_000, fileParallelism: false },
  },
];

/** What is set up and cleared away is as slow as what is tested. */
const ofAll = { hookTimeout: longest, globalSetup: "harness/vitest/temporary.setup.ts" };
const projects = own.map((project) => ({ test: { ...ofAll, ...project.test } }));

const { HALLMARK_TARGET = "", HALLMARK_BASE_URL = "" } = process.env;
const judgesTarget =
  HALLMARK_TARGET + HALLMARK_BASE_URL !== "" && !process.argv.some((word) => word.startsWith("--project"));

/** Judges the server that the environment names, and nothing else: `HALLMARK_TARGET=target.yaml npx vitest run`. */
const target = { test: { name: "target", include: ["suites/target.spec.ts"] } };

export default defineConfig({ test: { projects: judgesTarget ? [target] : projects } });
