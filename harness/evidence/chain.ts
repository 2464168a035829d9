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

/**
 * Reads sealed lines back.
 * @returns the events, and the hash of the last
 * @throws BrokenChain at the first line that is not what was sealed
 */
export function unseal(lines: readonly string[]): { readonly events: readonly unknown[]; readonly head: string } {
  let head = "";
  const events = lines.map((line, index) => {
    const [tail, hash] = ending.exec(line) ?? [];
    if (tail === undefined || hash === undefined) throw new BrokenChain(index + 1, "is cut short, or has no hash");
    const body = `${line.slice(0, -tail.length)}}`;
    if (hashOf(head, body) !== hash) throw new BrokenChain(index + 1, "was edited, or a line before it was taken out");
    head = hash;
    return JSON.parse(body) as unknown;
  });
  return { events, head };
}
