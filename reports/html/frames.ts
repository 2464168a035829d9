import { h } from "preact";
import type { ExchangeEvidence } from "../../harness/result.ts";
import { prettyJson } from "../pretty.ts";
import { duration } from "../words.ts";
import type { Html } from "./parts.ts";

type Frames = NonNullable<NonNullable<ExchangeEvidence["response"]>["frames"]>;

/** A text up to this length is read as quickly on one line. */
const oneLine = 100;

/** Envelopes of a stream: dots on a time line, then each with its time, its distance to the one before, and its text. */
export function Timeline({ frames }: { readonly frames: Frames }): Html {
  if (frames.length === 0) return h("p", { class: "faint" }, "no envelope");
  const end = Math.max(1, ...frames.map((frame) => frame.at));
  return [
    h(
      "svg",
      {
        class: "timeline",
        viewBox: "0 0 400 16",
        role: "img",
        "aria-label": `${frames.length} envelopes in ${duration(end)}`,
      },
      h("line", { x1: "2%", y1: 8, x2: "98%", y2: 8 }),
      frames.map((frame) =>
        h("circle", {
          cx: `${2 + (96 * frame.at) / end}%`,
          cy: 8,
          r: 4,
          class: isEnd(frame.flags) ? "end" : undefined,
        }),
      ),
    ),
    h(
      "ol",
      { class: "frames" },
      frames.map((frame, index) =>
        h(
          "li",
          null,
          h("span", { class: "at" }, duration(frame.at)),
          h("span", { class: "faint" }, index === 0 ? "" : `+${duration(frame.at - (frames[index - 1]?.at ?? 0))}`),
          h("span", { class: "faint" }, flagWords(frame.flags)),
          h("pre", { class: "body", tabIndex: 0 }, frame.text.length <= oneLine ? frame.text : prettyJson(frame.text)),
        ),
      ),
    ),
  ];
}

function isEnd(flags: number): boolean {
  return (flags & 2) !== 0;
}

/** Envelope flags of the Connect protocol: bit 0 compressed, bit 1 end of stream. */
function flagWords(flags: number): string {
  const words = [isEnd(flags) ? "end of stream" : "message", (flags & 1) !== 0 ? "compressed" : ""];
  return `${words.filter((word) => word !== "").join(", ")} (flags ${flags})`;
}
