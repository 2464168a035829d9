import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { SerializedError } from "vitest";
import type { Reporter, TestModule, TestSpecification } from "vitest/node";

/** Whether an error of a run is that a process of tests ended while it had some to do. */
const isLostWorker = ({ cause }: SerializedError) => /^Worker exited unexpectedly/.test(String(cause?.message));

const testsOf = (module: TestModule) => [...module.children.allTests()];

const hasFailed = (module: TestModule) =>
  module.errors().length > 0 || testsOf(module).some((test) => test.result().state === "failed");

/** Whether a file was run to its end. */
const isFinished = (module: TestModule) =>
  ["passed", "skipped"].includes(module.state()) && testsOf(module).every((test) => test.result().state !== "pending");

/**
 * Names the files that a process of tests left unfinished as it died, one a line, in the file that HALLMARK_UNFINISHED names. Node itself
 * dies now and then, in what V8 keeps of compiled code, where a process that ran many tests starts threads (`Check failed:
 * jit_page.has_value()`): those files can be run again. Names none where anything else went wrong.
 */
export default class UnfinishedReporter implements Reporter {
  private asked: readonly TestSpecification[] = [];

  onTestRunStart(asked: readonly TestSpecification[]): void {
    this.asked = asked;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const { HALLMARK_UNFINISHED } = process.env;
    if (HALLMARK_UNFINISHED === undefined || errors.length === 0) return;
    if (!errors.every(isLostWorker) || modules.some(hasFailed)) return;
    const finished = new Set(modules.filter(isFinished).map(({ moduleId }) => moduleId));
    const files = this.asked.map(({ moduleId }) => moduleId).filter((file) => !finished.has(file));
    writeFileSync(HALLMARK_UNFINISHED, files.map((file) => `${relative(process.cwd(), file)}\n`).join(""));
  }
}
