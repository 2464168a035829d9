import { useMemo, useState } from "preact/hooks";
import { isAbout } from "../about.ts";
import { type JsonLine, layOutJson } from "../json-lines.ts";

interface JsonTextProps {
  readonly text: string;
  /** Paths and labels of values that a finding is about: their lines stand out. */
  readonly about?: readonly string[];
}

/** Lines shown at first: a long body grows when asked, rather than scroll within the page. */
const firstLines = 60;

/** A body laid out and coloured where it is JSON, as it is where it is not. */
export function JsonText({ text, about = [] }: JsonTextProps) {
  const lines = useMemo(() => layOutJson(text), [text]);
  const [whole, setWhole] = useState(false);
  if (lines === undefined) return <pre class="body">{text}</pre>;
  // A line that a finding is about is never left out.
  const last = lines.findLastIndex((line) => isAbout(line, about)) + 1;
  const limit = whole ? lines.length : Math.max(firstLines, last);
  return (
    <>
      <pre class="body">
        {lines.slice(0, limit).map((line, index) => (
          <JsonLineView key={`${index}`} line={line} about={isAbout(line, about)} />
        ))}
      </pre>
      {lines.length > limit && (
        <button type="button" class="fold" onClick={() => setWhole(true)}>
          {lines.length - limit} more lines
        </button>
      )}
    </>
  );
}

function JsonLineView({ line, about }: { readonly line: JsonLine; readonly about: boolean }) {
  return (
    <span class={about ? "line about" : "line"}>
      {"  ".repeat(line.depth)}
      {line.tokens.map((token, place) =>
        token.kind === "mark" ? (
          token.text
        ) : (
          <span key={`${place}`} class={`json-${token.kind}`}>
            {token.text}
          </span>
        ),
      )}
      {"\n"}
    </span>
  );
}
