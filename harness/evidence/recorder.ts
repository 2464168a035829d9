import { closeSync, openSync, writeSync } from "node:fs";
import type { RunObserver, SeenExchange } from "../case/observer.ts";
import type { Outcome } from "../case/result.ts";
import type { SecretRegistry } from "../secrets/registry.ts";
import { createChain } from "./chain.ts";
import { encodeBytes, encodeExchange, withholdExchange } from "./encode.ts";
import type { EvidenceEvent, EvidenceFooter, EvidenceHeader, ExchangeEvent, SecretEvent } from "./events.ts";
import { createSurrogates } from "./surrogate.ts";

/** Who made an exchange, without what it did beside its question. */
function caseOf(by: string): string {
  return by.replace(/#.*$/, "").split(" ").slice(0, 2).join(" ");
}

/** An exchange that is still to be written, and its place in the order. */
type Waiting = readonly [order: number, seen: SeenExchange];

/** Exchanges of one case that wait at most: of a long one the older half is written while it goes on. */
const maxWaiting = 64;

/**
 * Opens the evidence of a run, which is written line by line as its cases end: an observer to be given to the run. An
 * exchange is written once its case is over, or many others came after it: by then the run
 * guards every secret that came in it. Throws where the file cannot be written.
 */
export function createRecorder(file: string, header: EvidenceHeader): RunObserver {
  const started = performance.now();
  const descriptor = openSync(file, "w", 0o600);
  const chain = createChain();
  const disguise = createSurrogates();
  /** The run's own: a long run guards tens of thousands of secrets, which are not to be held twice. */
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

  const rewriting = {
    bytes: (bytes: Uint8Array) => disguise.apply(bytes),
    text: (text: string) => {
      const bytes = Buffer.from(text, "utf8");
      const disguised = disguise.apply(bytes);
      return disguised === bytes ? text : Buffer.from(disguised).toString("utf8");
    },
  };
  const untouched = { bytes: (bytes: Uint8Array) => bytes, text: (text: string) => text };

  /** Everything of an exchange that may hold a secret and was not looked through yet, as one text. */
  function unscanned({ exchange: { request, response, failure }, call }: SeenExchange): Uint8Array {
    const headers = [...request.headers, ...(response?.headers ?? []), ...(response?.trailers ?? [])];
    const body = Buffer.from(request.body.buffer, request.body.byteOffset, request.body.byteLength);
    const asked = call === undefined ? "" : JSON.stringify(call.request);
    const texts = [request.url, failure?.message ?? "", ...headers.map(([, value]) => value)];
    // What gave out a credential was looked through before that was guarded.
    const chunks = (response?.chunks ?? []).filter(
      ({ bytes }) => !clean.has(bytes) || call?.row.plaintext.length !== 0,
    );
    const parts = [`${texts.join("\n")}\n`, ...(body.equals(Buffer.from(asked)) ? [] : [`${asked}\n`])];
    return Buffer.concat([...parts.map((text) => Buffer.from(text)), body, ...chunks.map(({ bytes }) => bytes)]);
  }

  function eventOf(at: number, seen: SeenExchange): ExchangeEvent {
    if (!holdsSecret(unscanned(seen))) return encodeExchange(seen, at, untouched);
    const event = encodeExchange(seen, at, rewriting);
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
  const exchanged: RunObserver = {
    onOpen(registry) {
      secrets = registry;
    },
    onSecret(value, label, kind) {
      const raw = (typeof value === "string" ? Buffer.from(value, "utf8") : Buffer.from(value)).toString("latin1");
      if (known.has(raw)) return;
      known.add(raw);
      const alike = Buffer.from(disguise.learn(value), "latin1");
      order += 1;
      const event: SecretEvent = { type: "secret", order, label, kind, value: encodeBytes(alike) };
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
    ...(header.recorded === "results" ? {} : exchanged),
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
