import { duration } from "../../words.ts";

/** Something that took place: when it began, in milliseconds of any clock, and how long it took. */
export interface Span {
  readonly name: string;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly tone?: string;
  readonly href?: string;
}

/** Bars on one time line, in the order in which they began. */
export function Waterfall({ spans, label }: { readonly spans: readonly Span[]; readonly label: string }) {
  const ordered = spans.toSorted((a, b) => a.startedAt - b.startedAt);
  const begin = ordered[0]?.startedAt ?? 0;
  const end = Math.max(begin + 1, ...ordered.map((span) => span.startedAt + span.durationMs));
  const share = (milliseconds: number) => `${((100 * milliseconds) / (end - begin)).toFixed(2)}%`;
  return (
    <ol class="waterfall" aria-label={label}>
      {ordered.map((span, index) => (
        <li key={`${index} ${span.name}`} class={span.tone === undefined ? "" : `tone-${span.tone}`}>
          <span class="span-name">{span.href === undefined ? span.name : <a href={span.href}>{span.name}</a>}</span>
          <span class="span-line" aria-hidden="true">
            <span style={{ marginLeft: share(span.startedAt - begin), width: share(Math.max(span.durationMs, 0)) }} />
          </span>
          <span class="span-time">
            {duration(span.startedAt - begin)} + {duration(span.durationMs)}
          </span>
        </li>
      ))}
    </ol>
  );
}
