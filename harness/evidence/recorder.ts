import { closeSync, openSync, writeSync } from "node:fs";
import type { RunObserver, SeenExchange } from "../case/observer.ts";
import type { Outcome } from "../case/result.ts";
import type { SecretRegistry } from "../secrets/registry.ts";
import { createChain } from "./chain.ts";
import { encodeBytes, encodeExchange, withholdExchange } from "./encode.ts";
import type { EvidenceEvent, EvidenceFooter, EvidenceHeader, ExchangeEvent, SecretEvent } from "./events.ts";
import { createSurrogates } from "./surrogate.ts";

/** The case that made an exchange: `by` without what follows case id and RPC. */
function caseOf(by: string): string {
  return by.replace(/#.*$/, "").split(" ").slice(0, 2).join(" ");
}

/** An exchange that is still to be written, with its `order`. */
type Waiting = readonly [order: number, seen: SeenExchange];

/** Exchanges of one case held back at most; beyond that the older half is written while the case goes on. */
const maxWaiting = 64;

/**
 * Creates the evidence file of a run, and the observer that writes it line by line. An exchange is written when its case
 * ends or many others followed it: by then the run guards every secret that the exchange held. Throws what Node throws
 * where the file cannot be written.
 */
export function createRecorder(file: string, header: EvidenceHeader): RunObserver {
  const started = performance.now();
  const descriptor = openSync(file, "w", 0o600);
  const chain = createChain();
  const surrogates = createSurrogates();
  /** The registry of the run itself: a long run guards tens of thousands of secrets, too many to hold twice. */
  let secrets: Pick<SecretRegistry, "find"> | undefined;
  const waiting = new Map<string, Waiting[]>();
  const counts: Record<Outcome, number> = { held: 0, violated: 0, unproven: 0, "not-exercised": 0, error: 0 };
  const known = new Set<string>();
  const clean = new WeakSet<Uint8Array>();
  let order = 0;
  let exchanges = 0;
  let cases = 0;

  const write = (event: EvidenceEvent) => writeSync(descriptor, `${chain.seal(event)}\n`);

  function holdsSecret(text: string | Uint8Array): boolean {
    if (secrets === undefined) throw new Error("the recorder watches no run");
    return secrets.find(text).length > 0;
  }

  const replacer = {
    bytes: (bytes: Uint8Array) => surrogates.replaceIn(bytes),
    text: (text: string) => {
      const bytes = Buffer.from(text, "utf8");
      const replaced = surrogates.replaceIn(bytes);
      return replaced === bytes ? text : Buffer.from(replaced).toString("utf8");
    },
  };
  const unchanged = { bytes: (bytes: Uint8Array) => bytes, text: (text: string) => text };

  /** All parts of an exchange that may hold a secret and were not scanned yet, as one text. */
  function unscanned({ exchange: { request, response, failure }, call }: SeenExchange): Uint8Array {
    const headers = [...request.headers, ...(response?.headers ?? []), ...(response?.trailers ?? [])];
    const body = Buffer.from(request.body.buffer, request.body.byteOffset, request.body.byteLength);
    const asked = call === undefined ? "" : JSON.stringify(call.request);
    const texts = [request.url, failure?.message ?? "", ...headers.map(([, value]) => value)];
    // A chunk that issued a credential was scanned before that credential was guarded.
    const chunks = (response?.chunks ?? []).filter(
      ({ bytes }) => !clean.has(bytes) || call?.row.plaintext.length !== 0,
    );
    const parts = [`${texts.join("\n")}\n`, ...(body.equals(Buffer.from(asked)) ? [] : [`${asked}\n`])];
    return Buffer.concat([...parts.map((text) => Buffer.from(text)), body, ...chunks.map(({ bytes }) => bytes)]);
  }

  function eventOf(at: number, seen: SeenExchange): ExchangeEvent {
    if (!holdsSecret(unscanned(seen))) return encodeExchange(seen, at, unchanged);
    const event = encodeExchange(seen, at, replacer);
    return holdsSecret(JSON.stringify(event)) ? withholdExchange(event) : event;
  }

  function writeAll(some: readonly Waiting[]): void {
    for (const [at, seen] of some) {
      write(eventOf(at, seen));
      exchanges += 1;
    }
  }

  function flush(key: string): void {
    writeAll(waiting.get(key) ?? []);
    waiting.delete(key);
  }

  write(header);
  const exchangeObserver: RunObserver = {
    onOpen(registry) {
      secrets = registry;
    },
    onSecret(value, label, kind) {
      const raw = (typeof value === "string" ? Buffer.from(value, "utf8") : Buffer.from(value)).toString("latin1");
      if (known.has(raw)) return;
      known.add(raw);
      const surrogate = Buffer.from(surrogates.add(value), "latin1");
      order += 1;
      const event: SecretEvent = { type: "secret", order, label, kind, value: encodeBytes(surrogate) };
      write(event);
    },
    onClean: (bytes) => clean.add(bytes),
    onExchange(seen) {
      order += 1;
      const key = caseOf(seen.by);
      const of = waiting.get(key) ?? [];
      of.push([order, seen]);
      waiting.set(key, of);
      if (of.length > maxWaiting) writeAll(of.splice(0, maxWaiting / 2));
    },
  };
  return {
    ...(header.recorded === "results" ? {} : exchangeObserver),
    onResult(result) {
      flush(`${result.id} ${result.rpc}`);
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
      closeSync(descriptor);
    },
  };
}
