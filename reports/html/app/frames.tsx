import { useId } from "preact/hooks";
import type { ExchangeEvidence } from "../../../harness/case/result.ts";
import { count, duration } from "../../words.ts";
import { aboutFrame, flagWords, isEnd, ticksUpTo } from "../frames.ts";
import { JsonText } from "./json-text.tsx";

type Frame = NonNullable<NonNullable<ExchangeEvidence["response"]>["frames"]>[number];

interface FramesProps {
  readonly frames: readonly Frame[];
  readonly about: readonly string[];
}

/** A filled dot is a message, a hollow one ends the stream, a red one is what a finding is about. */
function dotClass(frame: Frame, about: boolean): string {
  return ["dot", isEnd(frame.flags) ? "end" : "", about ? "dot-about" : ""].filter((part) => part !== "").join(" ");
}

/** Envelopes of a stream: marks on a time line that lead to them, then each with its time and its text. */
export function Frames({ frames, about }: FramesProps) {
  const id = useId();
  if (frames.length === 0) return <p class="faint">no envelope</p>;
  const end = Math.max(1, ...frames.map(({ at }) => at));
  const name = (index: number) => `${id}-frame-${index}`;
  return (
    <div class="stream">
      <div class="timeline" role="img" aria-label={`${count(frames.length, "envelope")} in ${duration(end)}`}>
        <div class="timeline-line" />
        {ticksUpTo(end).map((tick) => (
          <span key={tick} class="tick" style={{ insetInlineStart: `${(100 * tick) / end}%` }}>
            {duration(tick)}
          </span>
        ))}
        {frames.map((frame, index) => (
          <span
            key={name(index)}
            class={dotClass(frame, aboutFrame(about, index).length > 0)}
            style={{ insetInlineStart: `${(100 * frame.at) / end}%` }}
          />
        ))}
      </div>
      <ol class="frames">
        {frames.map((frame, index) => (
          <li key={name(index)}>
            <div class="frame-facts">
              <span class="frame-number">{index}</span>
              <span class="frame-at">{duration(frame.at)}</span>
              <span class="faint">{index > 0 && `+${duration(frame.at - (frames[index - 1]?.at ?? 0))}`}</span>
              <span class="faint">{flagWords(frame.flags)}</span>
            </div>
            <JsonText text={frame.text} about={aboutFrame(about, index)} />
          </li>
        ))}
      </ol>
    </div>
  );
}
