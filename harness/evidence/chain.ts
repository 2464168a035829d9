import { createHash } from "node:crypto";

/**
 * A hash chain over lines: each line ends with the SHA-256 of the line before's hash and of itself without its hash. A
 * line that was changed, added or taken out breaks it there; what is missing at the end, the footer's absence shows.
 */
export interface Chain {
  /** The line of an event, its hash last, without a line end. */
  seal(event: object): string;
  /** Hash of the last line sealed. */
  readonly head: string;
}

const ending = /,"hash":"([0-9a-f]{64})"\}$/;
const endingLength = `,"hash":"${"0".repeat(64)}"}`.length;

function hashOf(before: string, body: string): string {
  return createHash("sha256").update(before).update("\n").update(body).digest("hex");
}

/** Begins a chain. */
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

/** A line that is not what was sealed. */
export class BrokenChain extends Error {
  /** From 1. */
  readonly line: number;
  constructor(line: number, what: string) {
    super(`line ${line} ${what}`);
    this.line = line;
  }
}

/** A sealed line, read back. */
export interface Unsealed {
  /** The event's JSON. */
  readonly body: string;
  readonly hash: string;
}

/**
 * Reads sealed lines back, one at a time: a long run's are more than a text can hold.
 * @throws BrokenChain at the first line that is not what was sealed
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
