import type { RunObserver, SeenExchange } from "../case/observer.ts";
import type { Outcome } from "../case/result.ts";
import { openLineFile } from "../output/line-file.ts";
import type { SecretRegistry } from "../secrets/registry.ts";
import { bodyOf } from "../wire/exchange.ts";
import { createAllowance } from "./bounds.ts";
import { createChain } from "./chain.ts";
import { encodeBytes, encodeExchange } from "./encode.ts";
import type { EvidenceEvent, EvidenceFooter, EvidenceHeader, ExchangeEvent, SecretEvent } from "./events.ts";
import { type Bodies, withoutAnswer, withoutBodies, withoutSecrets } from "./left-out.ts";
import { unpacked } from "./plain.ts";
import { createSurrogates } from "./surrogate.ts";

/** The case that made an exchange: `by` without what follows case id and RPC. */
function caseOf(by: string): string {
  return by.replace(/#.*$/, "").split(" ").slice(0, 2).join(" ");
}

/** An exchange that is still to be written, with its `order`. */
type Waiting = readonly [order: number, seen: SeenExchange];

/** Exchanges of one case held back at most; beyond that the older half is written while the case goes on. */
const maxWaiting = 64;

/** As many more while a credential is being issued, which one of them may hold. */
const maxWaitingForIssue = 512;

const nothing = new Uint8Array();

/** An exchange without some of its bodies, so that nobody looks through what is left out. */
function without(seen: SeenExchange, { request, response }: Bodies): SeenExchange {
  const { exchange, call } = seen;
  return {
    ...seen,
    ...(call === undefined || request === undefined ? {} : { call: { ...call, request: {} } }),
    exchange: {
      ...exchange,
      ...(request === undefined ? {} : { request: { ...exchange.request, body: nothing } }),
      ...(exchange.response === undefined || response === undefined
        ? {}
        : { response: { ...exchange.response, chunks: [] } }),
    },
  };
}

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
  /** The registry of the run itself: a long run guards tens of thousands of secrets, too many to hold twice. */
  let secrets: Pick<SecretRegistry, "leak"> | undefined;
  let isIssuing = () => false;
  const allowance = createAllowance();
  const waiting = new Map<string, Waiting[]>();
  const counts: Record<Outcome, number> = { held: 0, violated: 0, unproven: 0, "not-exercised": 0, error: 0 };
  const known = new Set<string>();
  let order = 0;
  let exchanges = 0;
  let cases = 0;

  const write = (event: EvidenceEvent) => lines.append(chain.seal(event));

  function mayStand(text: string | Uint8Array): boolean {
    if (secrets === undefined) throw new Error("the recorder watches no run");
    return secrets.leak(text) === undefined;
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

  /** All texts of an exchange that may hold a secret, in one piece. */
  function textsOf({ exchange: { request, response, failure }, call }: SeenExchange): Uint8Array {
    const headers = [...request.headers, ...(response?.headers ?? []), ...(response?.trailers ?? [])];
    const body = Buffer.from(request.body.buffer, request.body.byteOffset, request.body.byteLength);
    const asked = call === undefined ? "" : JSON.stringify(call.request);
    const texts = [
      request.url,
      failure?.message ?? "",
      ...headers.flat(),
      body.equals(Buffer.from(asked)) ? "" : asked,
    ];
    return Buffer.concat([Buffer.from(`${texts.join("\n")}\n`), body]);
  }

  function withinBounds(at: number, seen: SeenExchange): ExchangeEvent {
    const { response } = seen.exchange;
    const body = response === undefined ? nothing : bodyOf(response);
    const packed = response === undefined ? [] : unpacked(response);
    if (mayStand(textsOf(seen)) && mayStand(body) && packed?.every(mayStand) === true) {
      return encodeExchange(seen, at, unchanged);
    }
    const event = encodeExchange(seen, at, replacer);
    const bodies = { request: seen.exchange.request.body, response: body };
    // What is packed holds the secret itself, and no surrogate: it cannot be written however it is cut.
    const opened = packed?.every(mayStand) === true ? event : withoutBodies(event, "secret", { response: body });
    return mayStand(JSON.stringify(opened)) ? opened : withoutSecrets(opened, mayStand, bodies);
  }

  function eventOf(at: number, seen: SeenExchange): ExchangeEvent {
    const { response, foreign } = seen.exchange;
    const body = response === undefined ? undefined : bodyOf(response);
    if (foreign === true) {
      return withoutAnswer(withinBounds(at, without(seen, { response: nothing })), body ?? nothing);
    }
    const excess = allowance.excessOf(seen.exchange);
    if (excess === undefined) return withinBounds(at, seen);
    return withoutBodies(withinBounds(at, without(seen, excess)), "size", excess);
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
    onOpen(registry, issuing) {
      secrets = registry;
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
      const key = caseOf(seen.by);
      const of = waiting.get(key) ?? [];
      of.push([order, seen]);
      waiting.set(key, of);
      if (of.length > (isIssuing() ? maxWaitingForIssue : maxWaiting))
        writeAll(of.splice(0, Math.floor(of.length / 2)));
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
      lines.close();
    },
  };
}
