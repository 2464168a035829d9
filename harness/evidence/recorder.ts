import type { RunObserver } from "../case/observer.ts";
import type { Outcome } from "../case/result.ts";
import { openLineFile } from "../output/line-file.ts";
import { createChain } from "./chain.ts";
import { encodeBytes } from "./encode.ts";
import type { EvidenceEvent, EvidenceFooter, EvidenceHeader, SecretEvent } from "./events.ts";
import { createSurrogates } from "./surrogate.ts";
import { createWritableExchanges, type KeptExchange, type WritableExchanges } from "./writable.ts";

/** The case that made an exchange: `by` without what follows case id and RPC. */
function caseOf(by: string): string {
  return by.replace(/#.*$/, "").split(" ").slice(0, 2).join(" ");
}

/** An exchange that is still to be written, with its `order`. */
type Waiting = readonly [order: number, kept: KeptExchange];

/** Exchanges of one case held back at most; beyond that the older half is written while the case goes on. */
const maxWaiting = 64;

/** As many more while a credential is being issued, which one of them may hold. */
const maxWaitingForIssue = 512;

/**
 * Creates the evidence file of a run, and the observer that writes it line by line. An exchange is written when its case
 * ends or many others followed it: by then the run guards every secret that the exchange held. Throws what Node throws
 * where the file cannot be written.
 */
export function createRecorder(file: string, header: EvidenceHeader): RunObserver {
  const started = performance.now();
  const lines = openLineFile(file);
  const chain = createChain();
  const surrogates = createSurrogates();
  let writable: WritableExchanges | undefined;
  let isIssuing = () => false;
  const waiting = new Map<string, Waiting[]>();
  /** Of cases that are over, which what they made is undone for: they share one place to wait. */
  const ended = new Set<string>();
  const late = "the undoing";
  const counts: Record<Outcome, number> = { held: 0, violated: 0, unproven: 0, "not-exercised": 0, error: 0 };
  const known = new Set<string>();
  let order = 0;
  let exchanges = 0;
  let cases = 0;

  const write = (event: EvidenceEvent) => lines.append(chain.seal(event));

  function opened(): WritableExchanges {
    if (writable === undefined) throw new Error("the recorder watches no run");
    return writable;
  }

  function writeAll(some: readonly Waiting[]): void {
    for (const [at, kept] of some) {
      write(opened().eventOf(at, kept));
      exchanges += 1;
    }
  }

  function flush(key: string): void {
    writeAll(waiting.get(key) ?? []);
    waiting.delete(key);
  }

  write(header);
  const exchangeObserver: RunObserver = {
    onOpen(secrets, issuing) {
      // The registry of the run itself: a long run guards tens of thousands of secrets, too many to hold twice.
      writable = createWritableExchanges(secrets, surrogates);
      isIssuing = issuing;
    },
    onSecret(value, label, kind) {
      const raw = (typeof value === "string" ? Buffer.from(value, "utf8") : Buffer.from(value)).toString("latin1");
      if (known.has(raw)) return;
      known.add(raw);
      const surrogate = Buffer.from(surrogates.add(value, kind !== "secret value"), "latin1");
      order += 1;
      const event: SecretEvent = { type: "secret", order, label, kind, value: encodeBytes(surrogate) };
      write(event);
    },
    onConceal: (value) => void surrogates.add(value, true),
    onExchange(seen) {
      order += 1;
      const own = caseOf(seen.by);
      const key = ended.has(own) ? late : own;
      const of = waiting.get(key) ?? [];
      of.push([order, opened().keep(seen)]);
      waiting.set(key, of);
      if (of.length > (isIssuing() ? maxWaitingForIssue : maxWaiting))
        writeAll(of.splice(0, Math.floor(of.length / 2)));
    },
  };
  return {
    ...(header.recorded === "results" ? {} : exchangeObserver),
    onResult(result) {
      const key = `${result.id} ${result.rpc}`;
      flush(key);
      ended.add(key);
      counts[result.outcome] += 1;
      cases += 1;
      write({ type: "case", result });
    },
    onEnd({ summary, triage, interrupted }) {
      for (const key of [...waiting.keys()]) flush(key);
      const footer: EvidenceFooter = {
        type: "footer",
        complete: cases === header.planned && !interrupted,
        interrupted,
        counts: { ...counts, cases, exchanges },
        summary,
        triage,
        durationMs: Math.round(performance.now() - started),
      };
      write(footer);
      lines.close();
    },
  };
}
