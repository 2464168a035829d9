import type { WireFailure } from "./exchange.ts";

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
