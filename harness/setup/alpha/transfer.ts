import type { CaseContext } from "../../case/context.ts";
import { bodyOf, type Exchange, headerOf } from "../../wire/exchange.ts";

type TransferRequest = Parameters<CaseContext["send"]>[0];

/** Redirects that are followed at most, as browsers and fetch clients have it a few times over. */
const maxRedirects = 5;

/** Where a response sends a request on to, and how (RFC 9110 §15.4); undefined where it does not. */
function onwardOf(request: TransferRequest, { response }: Exchange): TransferRequest | undefined {
  const location = response === undefined ? undefined : headerOf(response.headers, "location");
  const url = location === undefined ? null : URL.parse(location, request.url);
  const kept = [307, 308].includes(response?.status ?? 0);
  if (url === null || !(kept || (request.method === "GET" && [301, 302, 303].includes(response?.status ?? 0)))) return;
  const { as, ...rest } = request;
  // What opens one server is not shown to another.
  const near = as !== undefined && url.origin === new URL(request.url).origin;
  return { ...rest, url: url.href, ...(near && { as }) };
}

/**
 * Sends a request to an address that was given out, and on to where that sends it: storage often stands elsewhere. A
 * credential is sent to the origin of a base URL alone.
 */
export async function transfer(context: CaseContext, request: TransferRequest): Promise<Exchange> {
  // A key of the target goes to the target, whatever address that names.
  const { as, ...open } = request;
  const first: TransferRequest = as !== undefined && context.target.isOwn(request.url) ? request : open;
  let exchange = await context.send(first);
  let onward = onwardOf(first, exchange);
  for (let turn = 0; onward !== undefined && turn < maxRedirects; turn += 1) {
    exchange = await context.send(onward);
    onward = onwardOf(onward, exchange);
  }
  return exchange;
}

/** True for an HTTP success. */
export function wentThrough(exchange: Exchange): boolean {
  const status = exchange.response?.status ?? 0;
  return exchange.response?.ended === true && status >= 200 && status < 300;
}

/** True for an HTTP success that holds just these bytes. */
export function holdsBytes(exchange: Exchange, bytes: Uint8Array): boolean {
  const { response } = exchange;
  return response !== undefined && wentThrough(exchange) && Buffer.compare(bodyOf(response), bytes) === 0;
}

/** What an upload or download address answered, for findings. */
export function describeAnswer({ response, failure, foreign, request }: Exchange): string {
  const elsewhere =
    foreign === true
      ? ` (of ${URL.parse(request.url)?.origin ?? "no origin"}, another origin than the target's, where its key is not sent)`
      : "";
  if (response === undefined || !response.ended) {
    const why = foreign === true ? failure?.kind : failure?.message;
    return `${why ?? "an answer that was cut short"}${elsewhere}`;
  }
  return `HTTP ${response.status} with ${bodyOf(response).byteLength} bytes${elsewhere}`;
}
