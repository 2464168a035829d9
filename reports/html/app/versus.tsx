import { useMemo, useState } from "preact/hooks";
import { compare, type DiffLine, fold, type Span } from "../comparison.ts";
import { splitProse } from "../prose.ts";
import { JsonText } from "./json-text.tsx";

interface VersusProps {
  readonly expected: string;
  readonly actual: string;
}

/** Expected against actual: documents laid over each other, sentences beside each other with their differences marked. */
export function Versus({ expected, actual }: VersusProps) {
  const comparison = useMemo(() => compare(expected, actual), [expected, actual]);
  if (comparison.kind === "lines")
    return (
      <div class="versus-lines">
        {comparison.labels[0] === "before" && <Side name="Expected" tone="held" text={expected} />}
        <DiffView labels={comparison.labels} lines={comparison.lines} />
      </div>
    );
  const [before, after] = comparison.kind === "words" ? [comparison.before, comparison.after] : [undefined, undefined];
  return (
    <div class="versus">
      <Side name="Expected" tone="held" text={expected} spans={before} />
      <Side name="Actual" tone="violated" text={actual} spans={after} />
    </div>
  );
}

interface SideProps {
  readonly name: string;
  readonly tone: "held" | "violated";
  readonly text: string;
  readonly spans?: readonly Span[] | undefined;
}

function Side({ name, tone, text, spans }: SideProps) {
  return (
    <div class={`side tone-${tone}`}>
      <h3>{name}</h3>
      {spans === undefined ? <Prose text={text} /> : <p class="prose">{spans.map(markSpan)}</p>}
    </div>
  );
}

/** A sentence; a document within is laid out. */
function Prose({ text }: { readonly text: string }) {
  const [words, document, rest] = splitProse(text);
  if (document.length < 40) return <p class="prose">{text}</p>;
  return (
    <>
      {words !== "" && <p class="prose">{words}</p>}
      <JsonText text={document} />
      {rest !== "" && <p class="prose">{rest}</p>}
    </>
  );
}

function markSpan(span: Span, index: number) {
  // Spans have no name but their place.
  return span.changed ? <mark key={`${index}`}>{span.text}</mark> : <span key={`${index}`}>{span.text}</span>;
}

const names = { " ": "", "−": "gone: ", "+": "new: " } as const;

function DiffView({
  labels,
  lines,
}: {
  readonly labels: readonly [string, string];
  readonly lines: readonly DiffLine[];
}) {
  const folded = useMemo(() => fold(lines), [lines]);
  const isSame = lines.every(({ sign }) => sign === " ");
  return (
    <figure class="diff">
      <figcaption>
        <span class="tone-held">− {labels[0]}</span>
        <span class="tone-violated">+ {labels[1]}</span>
        {isSame && <span>The parts kept of both are the same.</span>}
      </figcaption>
      <pre>
        {folded.map((line, index) =>
          "folded" in line ? <Folded key={`${index}`} lines={line.folded} /> : <Line key={`${index}`} line={line} />,
        )}
      </pre>
    </figure>
  );
}

function Folded({ lines }: { readonly lines: readonly DiffLine[] }) {
  const [open, setOpen] = useState(false);
  if (open)
    return (
      <>
        {lines.map((line, index) => (
          <Line key={`${index}`} line={line} />
        ))}
      </>
    );
  return (
    <button type="button" class="fold" onClick={() => setOpen(true)}>
      {lines.length} equal lines
    </button>
  );
}

const classes = { " ": "line", "−": "line gone", "+": "line new" } as const;

function Line({ line }: { readonly line: DiffLine }) {
  return (
    <span class={classes[line.sign]}>
      <span class="gutter" aria-hidden="true">
        {line.sign}
      </span>
      <span class="unseen">{names[line.sign]}</span>
      {line.spans.map(markSpan)}
      {"\n"}
    </span>
  );
}
