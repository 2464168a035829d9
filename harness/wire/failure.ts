import type { WireFailure } from "./exchange.ts";

/** When an exchange that has not ended is aborted, and as what failure. */
export interface Limit {
  /** Milliseconds since the request was sent. */
  readonly ms: number;
  readonly failure: WireFailure;
}

/** The failure of a body that came to more bytes than one may have. */
export function tooLarge(maxBytes: number): WireFailure {
  return { kind: "too-large", message: `the body is longer than ${maxBytes} bytes` };
}

/** The limit of a request: the earlier of its deadline (default `replyMs`) and the end of its listening. */
export function limitOf(
  { timeoutMs, listenMs = Number.POSITIVE_INFINITY }: { readonly timeoutMs?: number; readonly listenMs?: number },
  replyMs: number,
): Limit {
  const ms = timeoutMs ?? (listenMs === Number.POSITIVE_INFINITY ? replyMs : listenMs);
  if (listenMs <= ms) return { ms: listenMs, failure: { kind: "abandoned", message: "listened to long enough" } };
  return { ms, failure: { kind: "timeout", message: `no whole response within ${ms} ms` } };
}

/** The failure an error of Node or undici stands for; `reset` for errors it does not know. */
export function failureOf(error: Error): WireFailure {
  const code = (error as { code?: string }).code ?? "";
  // OpenSSL says why behind the number of a thread and the name of a C function.
  const { reason = "" } = error as { reason?: string };
  const told = /^ERR_SSL/.test(code) && reason !== "" ? reason : error.message;
  const message = told.trim() === "" ? code : told.trim().replaceAll(/\s*[\r\n]+\s*/g, " ");
  if (/TIMEOUT/.test(code)) return { kind: "timeout", message };
  if (/^(ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/.test(code)) return { kind: "connect", message };
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) return { kind: "connect", message };
  if (/^(HPE_|UND_ERR_(RES_CONTENT_LENGTH|HEADERS_OVERFLOW))/.test(code)) return { kind: "malformed", message };
  return { kind: "reset", message };
}
