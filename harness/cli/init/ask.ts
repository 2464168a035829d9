import { createInterface } from "node:readline/promises";
import { UsageError } from "../../target/load.ts";
import { output } from "../output.ts";

/** Says what is wrong with an answer, or nothing. */
export type Check = (answer: string) => string | undefined;

/** Asks questions on a terminal; an answer that will not do is asked for again, three times at most. */
export interface Asking {
  /** The answer, the default where it is empty, or undefined where there is none either. */
  ask(question: string, options?: { readonly otherwise?: string; readonly check?: Check }): Promise<string | undefined>;
  close(): void;
}

const maxTries = 3;

/** Asks on standard output, and reads standard input line by line: a script may answer too. */
export function createAsking(): Asking {
  const lines = createInterface({
    input: process.stdin,
    output: process.stdout,
    terminal: process.stdin.isTTY === true,
  });
  const answers = lines[Symbol.asyncIterator]();
  return {
    async ask(question, { otherwise, check = () => undefined } = {}) {
      for (let tries = 0; tries < maxTries; tries += 1) {
        output.print(`${question}${otherwise === undefined ? "" : ` [${otherwise}]`}: `);
        const { value, done } = await answers.next();
        if (done === true) output.print("\n");
        const answer = done === true ? "" : value.trim();
        if (answer === "") return otherwise;
        const wrong = check(answer);
        if (wrong === undefined) return answer;
        output.print(`  It ${wrong}.\n`);
      }
      throw new UsageError(`"${question}" got no usable answer in ${maxTries} tries; see docs/target-file.md.`);
    },
    close: () => lines.close(),
  };
}
