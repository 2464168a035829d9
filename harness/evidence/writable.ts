import type { SeenExchange } from "../case/observer.ts";
import type { SecretRegistry } from "../secrets/registry.ts";
import { bodyOf } from "../wire/exchange.ts";
import { createAllowance } from "./bounds.ts";
import { encodeExchange } from "./encode.ts";
import type { ExchangeEvent, LeftOut } from "./events.ts";
import { type Bodies, leftOut, withoutAnswer, withoutBodies, withoutSecrets } from "./left-out.ts";
import { unpacked } from "./plain.ts";
import type { Surrogates } from "./surrogate.ts";

/** What is kept of an exchange until it is written: no more than there is room for. */
export interface KeptExchange {
  /** Without the bodies that are left out, and without the reply, which holds them and all that was read of them. */
  readonly seen: Omit<SeenExchange, "reply">;
  readonly excess?: Bodies<LeftOut>;
}

/** Makes of exchanges what may be written of them. */
export interface WritableExchanges {
  /** What to keep of an exchange that has just been made. To be asked once of each, as the room is then taken. */
  keep(seen: SeenExchange): KeptExchange;
  /** An exchange as an event with its place in the order: no secret in it that is known by now. */
  eventOf(order: number, kept: KeptExchange): ExchangeEvent;
}

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

/** All texts of an exchange that may hold a secret, in one piece. */
function textsOf({ exchange: { request, response, failure }, call }: SeenExchange): Uint8Array {
  const headers = [...request.headers, ...(response?.headers ?? []), ...(response?.trailers ?? [])];
  const body = Buffer.from(request.body.buffer, request.body.byteOffset, request.body.byteLength);
  const asked = call === undefined ? "" : JSON.stringify(call.request);
  const texts = [request.url, failure?.message ?? "", ...headers.flat(), body.equals(Buffer.from(asked)) ? "" : asked];
  return Buffer.concat([Buffer.from(`${texts.join("\n")}\n`), body]);
}

const unchanged = { bytes: (bytes: Uint8Array) => bytes, text: (text: string) => text };

/**
 * Makes exchanges writable for one run.
 *
 * @param secrets what the run guards, when an exchange is written
 * @param surrogates stand in for those where they can
 */
export function createWritableExchanges(
  secrets: Pick<SecretRegistry, "leak">,
  surrogates: Pick<Surrogates, "replaceIn">,
): WritableExchanges {
  const allowance = createAllowance();
  const mayStand = (text: string | Uint8Array) => secrets.leak(text) === undefined;

  const replacer = {
    bytes: (bytes: Uint8Array) => surrogates.replaceIn(bytes),
    text: (text: string) => {
      const bytes = Buffer.from(text, "utf8");
      const replaced = surrogates.replaceIn(bytes);
      return replaced === bytes ? text : Buffer.from(replaced).toString("utf8");
    },
  };
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

  return {
    keep({ reply: _judgedAlready, ...seen }) {
      const { response, foreign } = seen.exchange;
      if (foreign === true) {
        const body = response === undefined ? nothing : bodyOf(response);
        return { seen: without(seen, { response: nothing }), excess: { response: leftOut(body) } };
      }
      const excess = allowance.excessOf(seen.exchange);
      if (excess === undefined) return { seen };
      const left = Object.fromEntries(Object.entries(excess).map(([name, body]) => [name, leftOut(body)]));
      return { seen: without(seen, excess), excess: left };
    },
    eventOf(at, { seen, excess }) {
      const event = withinBounds(at, seen);
      if (excess === undefined) return event;
      if (seen.exchange.foreign === true) return withoutAnswer(event, excess.response ?? leftOut(nothing));
      return withoutBodies(event, "size", excess);
    },
  };
}
