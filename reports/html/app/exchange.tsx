import { useState } from "preact/hooks";
import type { ExchangeEvidence } from "../../../harness/case/result.ts";
import { splitRpc } from "../../order.ts";
import { count, duration } from "../../words.ts";
import { layOutJson } from "../json-lines.ts";
import { Command, Copy } from "./copy.tsx";
import { Frames } from "./frames.tsx";
import { JsonText } from "./json-text.tsx";

interface ExchangeProps {
  readonly exchange: ExchangeEvidence;
  /** A finding rests on it. */
  readonly decisive: boolean;
  /** It stands open at first. */
  readonly open: boolean;
  /** Paths in the response that findings are about. */
  readonly about: readonly string[];
  /** Milliseconds of the longest exchange beside it. */
  readonly longest: number;
}

/** One exchange: a line that tells it, and the whole of it when opened. */
export function Exchange({ exchange, decisive, open: openAtFirst, about, longest }: ExchangeProps) {
  const [open, setOpen] = useState(openAtFirst);
  const { request, response } = exchange;
  return (
    <details
      class="exchange"
      id={`exchange-${exchange.number}`}
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <span class="exchange-number">{exchange.number}</span>
        <span class="exchange-what">
          {request.method} {exchange.rpc === undefined ? pathOf(request.url) : splitRpc(exchange.rpc).method}
        </span>
        <Status exchange={exchange} />
        {decisive && <span class="decisive">decisive</span>}
        <span class="exchange-time">
          <meter min={0} max={longest} value={exchange.durationMs} aria-hidden="true" />
          {duration(exchange.durationMs)}
        </span>
      </summary>
      {open && (
        <div class="exchange-inside">
          <div class="halves">
            <section aria-label={`Request ${exchange.number}`}>
              <h3>Request</h3>
              <p class="address">
                {request.method} {request.url}
              </p>
              <Headers headers={request.headers} />
              <Body text={request.body} name="request body" />
            </section>
            <section aria-label={`Response ${exchange.number}`}>
              <h3>Response</h3>
              <p class="address">{statusOf(exchange)}</p>
              {response !== undefined && <Headers headers={response.headers} />}
              {response?.frames !== undefined && <Frames frames={response.frames} about={about} />}
              {response !== undefined && (response.frames === undefined || response.body !== "") && (
                <Body text={response.body} name="response body" about={about} />
              )}
            </section>
          </div>
          <Command label="curl" text={exchange.curl} />
        </div>
      )}
    </details>
  );
}

function Status({ exchange }: { readonly exchange: ExchangeEvidence }) {
  const { response, failure } = exchange;
  const tone = response === undefined ? "cut" : failure === undefined && response.status < 400 ? "served" : "refused";
  return <span class={`status status-${tone}`}>{statusOf(exchange)}</span>;
}

function statusOf({ response, failure }: ExchangeEvidence): string {
  const parts = [response === undefined ? "" : `HTTP ${response.status}`, failure ?? ""];
  return parts.filter((part) => part !== "").join(", ") || "no response";
}

/** Path and query of an address; an address of another form stays whole. */
function pathOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? url : parsed.pathname + parsed.search;
}

function Headers({ headers }: { readonly headers: ExchangeEvidence["request"]["headers"] }) {
  if (headers.length === 0) return <p class="faint">no headers</p>;
  return (
    <details class="headers">
      <summary>{count(headers.length, "header")}</summary>
      <dl>
        {headers.map(([name, value], index) => (
          // A header may stand twice.
          <div key={`${index} ${name}`}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

interface BodyProps {
  readonly text: string;
  readonly name: string;
  readonly about?: readonly string[];
}

/** A body, laid out or as it came. */
function Body({ text, name, about = [] }: BodyProps) {
  const [raw, setRaw] = useState(false);
  if (text === "") return <p class="faint">empty body</p>;
  const isJson = layOutJson(text) !== undefined;
  return (
    <div class="body-box">
      <div class="body-tools">
        {isJson && (
          <button type="button" class="copy" aria-pressed={raw} onClick={() => setRaw(!raw)}>
            Raw
          </button>
        )}
        <Copy text={text} of={name} />
      </div>
      {raw || !isJson ? <pre class="body raw">{text}</pre> : <JsonText text={text} about={about} />}
    </div>
  );
}
