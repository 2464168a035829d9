import type { Circuits } from "../case/run.ts";

/** How often something is waited for in vain, one time after another, before it is not waited for any more. */
const maxMisses = 3;

/** From then on each so-many-th who would wait does, this many times in all: it may have come right. */
const [retryEach, maxRetries] = [20, 3];

interface Circuit {
  misses: number;
  askedSince: number;
  retries: number;
}

/**
 * Starts with everything worth waiting for.
 *
 * A target that fails to do one thing fails to do it for each case that needs it: what the first few waited for in vain
 * the others take as known. One time it does come, it is worth waiting for again.
 */
export function createCircuits(): Circuits {
  const circuits = new Map<string, Circuit>();

  function isOpen(circuit: Circuit): boolean {
    if (circuit.misses < maxMisses) return false;
    circuit.askedSince += 1;
    if (circuit.retries >= maxRetries || circuit.askedSince % retryEach !== 0) return true;
    circuit.retries += 1;
    return false;
  }

  return {
    inVain(what) {
      const circuit = circuits.get(what);
      if (circuit === undefined || !isOpen(circuit)) return undefined;
      return `${what}: waited for in vain ${circuit.misses} times in a row, and not again`;
    },
    isKnown: (what) => (circuits.get(what)?.misses ?? 0) >= maxMisses,
    ended(what, came) {
      if (came) circuits.delete(what);
      else {
        const circuit = circuits.get(what) ?? { misses: 0, askedSince: 0, retries: 0 };
        circuit.misses += 1;
        circuits.set(what, circuit);
      }
    },
  };
}
