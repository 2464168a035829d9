import { h } from "preact";
import type { ExchangeEvidence } from "../../harness/result.ts";
import { prettyJson } from "../pretty.ts";
import { duration } from "../words.ts";
import { Timeline } from "./frames.ts";
import { Command, type Html } from "./parts.ts";

type Headers = ExchangeEvidence["request"]["headers"];

/** One exchange: a line that tells it, and the whole of it when opened. */
export function Exchange({ exchange, open }: { readonly exchange: ExchangeEvidence; readonly open: boolean }): Html {
  const { request, response } = exchange;
  return h(
    "details",
    { class: "exchange", open },
    h(
      "summary",
      null,
      h("span", { class: "number" }, `#${exchange.number}`),
      h("span", { class: "mono" }, `${request.method} ${pathOf(request.url)}`),
      h("span", { class: statusTone(exchange) }, statusOf(exchange)),
      h("span", { class: "faint" }, duration(exchange.durationMs)),
    ),
    h(
      "div",
      { class: "halves" },
      h(
        "section",
        { "aria-label": "Request" },
        h("h6", null, "Request"),
        h("p", { class: "mono line" }, `${request.method} ${request.url}`),
        h(HeaderList, { headers: request.headers }),
        h(Body, { text: request.body }),
      ),
      h(
        "section",
        { "aria-label": "Response" },
        h("h6", null, "Response"),
        h("p", { class: "mono line" }, statusOf(exchange)),
        response === undefined ? null : h(HeaderList, { headers: response.headers }),
        response?.frames === undefined ? null : h(Timeline, { frames: response.frames }),
        response === undefined || (response.frames !== undefined && response.body === "")
          ? null
          : h(Body, { text: response.body }),
      ),
    ),
    h(Command, { label: "curl", text: exchange.curl }),
  );
}

function statusOf({ response, failure }: ExchangeEvidence): string {
  const parts = [response === undefined ? "" : `HTTP ${response.status}`, failure ?? ""];
  return parts.filter((part) => part !== "").join(", ") || "no response";
}

function statusTone({ response, failure }: ExchangeEvidence): string {
  return response === undefined || failure !== undefined ? "status tone-violated" : "status";
}

/** Path and query of an address; an address of another form stays whole. */
function pathOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? url : parsed.pathname + parsed.search;
}

function HeaderList({ headers }: { readonly headers: Headers }): Html {
  if (headers.length === 0) return null;
  return h(
    "dl",
    { class: "headers" },
    headers.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))),
  );
}

function Body({ text }: { readonly text: string }): Html {
  if (text === "") return h("p", { class: "faint" }, "empty body");
  return h("pre", { class: "body", tabIndex: 0 }, prettyJson(text));
}
