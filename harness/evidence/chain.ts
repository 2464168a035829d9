import { createHash } from "node:crypto";

/**
 * A hash chain over lines: each line ends with the SHA-256 of the previous line's hash and of the line without its hash. A
 * changed, added or removed line breaks the chain there; lines missing at the end show by the missing footer.
 */
export interface Chain {
  /** The line for an event, with its hash, without a line end. */
  seal(event: object): string;
  /** Hash of the last line sealed. */
  readonly head: string;
}

const ending = /,"hash":"([0-9a-f]{64})"\}$/;
const endingLength = `,"hash":"${"0".repeat(64)}"}`.length;

function hashOf(before: string, body: string): string {
  return createHash("sha256").update(before).update("\n").update(body).digest("hex");
}

/** Creates a chain without lines. */
export function createChain(): Chain {
  let head = "";
  return {
    seal(event) {
      const body = JSON.stringify(event);
      head = hashOf(head, body);
      return `${body.slice(0, -1)},"hash":"${head}"}`;
    },
    get head() {
      return head;
    },
  };
}

/** A line whose hash does not fit. */
export class BrokenChain extends Error {
  /** From 1. */
  readonly line: number;
  constructor(line: number, what: string) {
    super(`line ${line} ${what}`);
    this.line = line;
  }
}

/** A line whose hash fits. */
export interface Unsealed {
  /** The event's JSON. */
  readonly body: string;
  readonly hash: string;
}

/**
 * Checks sealed lines one at a time, as those of a long run exceed the length of a string.
 * @throws BrokenChain at the first line whose hash does not fit
 */
export function* unseal(lines: Iterable<string>): Generator<Unsealed, void> {
  let head = "";
  let number = 0;
  for (const line of lines) {
    number += 1;
    const [tail, hash] = ending.exec(line.slice(-endingLength)) ?? [];
    if (tail === undefined || hash === undefined) throw new BrokenChain(number, "is cut short, or has no hash");
    const body = `${line.slice(0, -tail.length)}}`;
    if (hashOf(head, body) !== hash) throw new BrokenChain(number, "was edited, or a line before it was taken out");
    head = hash;
    yield { body, hash };
  }
}
