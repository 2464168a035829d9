import type { WireFailure } from "./exchange.ts";

/** When we end an exchange that has not ended by itself, and why: it took too long, or we have listened long enough. */
export interface Limit {
  /** From when it is sent, in milliseconds. */
  readonly ms: number;
  readonly failure: WireFailure;
}

/** The limit of a request: its own, or else that of every reply. */
export function limitOf(
  { timeoutMs, listenMs = Number.POSITIVE_INFINITY }: { readonly timeoutMs?: number; readonly listenMs?: number },
  replyMs: number,
): Limit {
  const ms = timeoutMs ?? (listenMs === Number.POSITIVE_INFINITY ? replyMs : listenMs);
  if (listenMs <= ms) return { ms: listenMs, failure: { kind: "abandoned", message: "listened to long enough" } };
  return { ms, failure: { kind: "timeout", message: `no whole response within ${ms} ms` } };
}

/** What an error of a connection means for its exchange. */
export function failureOf(error: Error): WireFailure {
  const code = (error as { code?: string }).code ?? "";
  const message = error.message === "" ? code : error.message;
  if (/TIMEOUT/.test(code)) return { kind: "timeout", message };
  if (/^(ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/.test(code)) return { kind: "connect", message };
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) return { kind: "connect", message };
  if (/^(HPE_|UND_ERR_(RES_CONTENT_LENGTH|HEADERS_OVERFLOW))/.test(code)) return { kind: "malformed", message };
  return { kind: "reset", message };
}
