import { useMemo } from "preact/hooks";
import { splitRpc } from "../../order.ts";
import { count, outcomeWords } from "../../words.ts";
import { countMarks, everything, type Filter, levels, type Mark, marks, narrows, type Row } from "../filter.ts";
import { useReader } from "./reader.ts";
import { Sign } from "./sign.tsx";

interface FiltersProps {
  /** What is filtered: `case`. */
  readonly noun: string;
  readonly shown: number;
  readonly total: number;
  /** What the filters choose from; without it, only text and service are offered. */
  readonly rows?: readonly Row[];
}

/** What the page is narrowed to: by text, outcome, area, level and service. */
export function Filters({ noun, shown, total, rows }: FiltersProps) {
  const { report, address, narrow } = useReader();
  const { filter } = address;
  const set = (part: Partial<Filter>) => narrow({ ...filter, ...part });
  return (
    <search class="filters" aria-label={`Filter ${noun}s`}>
      <input
        type="search"
        name="text"
        placeholder="Text, case, clause, RPC …  ( / )"
        aria-label="Text"
        autocomplete="off"
        spellcheck={false}
        value={filter.text}
        onInput={(event) => set({ text: event.currentTarget.value })}
        onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
      />
      {rows !== undefined && <Marks rows={rows} />}
      {rows !== undefined && (
        <Choice name="Area" value={filter.area} values={report.view.areas} set={(area) => set({ area })} />
      )}
      <Choice
        name="Service"
        value={filter.service}
        values={report.services}
        say={shortService}
        set={(service) => set({ service })}
      />
      {rows !== undefined && (
        <Choice name="Level" value={filter.level} values={levels} set={(level) => set({ level })} />
      )}
      <output>
        {narrows(filter) ? `${shown} of ${count(total, noun)}` : count(total, noun)}
        {narrows(filter) && (
          <button type="button" class="plain" onClick={() => narrow(everything)}>
            Clear
          </button>
        )}
      </output>
    </search>
  );
}

const meanings: Readonly<Record<Mark, string>> = {
  held: "as the contract says",
  violated: "a breach",
  unproven: "a precondition failed on the target",
  "not-exercised": "the target file lacks what it needs",
  error: "Hallmark's own fault",
  warning: "a broken should clause",
};

/** A switch per outcome, each with how many cases it would leave. */
function Marks({ rows }: { readonly rows: readonly Row[] }) {
  const { address, narrow } = useReader();
  const { filter } = address;
  const all = useMemo(() => countMarks(rows, everything), [rows]);
  const counts = useMemo(() => countMarks(rows, filter), [rows, filter]);
  const offered = marks.filter((mark) => all[mark] > 0 || filter.marks.includes(mark));
  const toggle = (mark: Mark) => {
    const chosen = new Set(filter.marks);
    if (!chosen.delete(mark)) chosen.add(mark);
    narrow({ ...filter, marks: marks.filter((one) => chosen.has(one)) });
  };
  return (
    <fieldset class="chips">
      <legend class="unseen">Outcome</legend>
      {offered.map((mark) => (
        <button
          key={mark}
          type="button"
          class={`chip tone-${mark}`}
          aria-pressed={filter.marks.includes(mark)}
          title={meanings[mark]}
          disabled={counts[mark] === 0 && !filter.marks.includes(mark)}
          onClick={() => toggle(mark)}
        >
          <Sign of={mark} />
          <span class="chip-word">{mark === "warning" ? "with warnings" : outcomeWords[mark]}</span>
          <span class="count">{counts[mark]}</span>
        </button>
      ))}
    </fieldset>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly value: string;
  readonly values: readonly string[];
  readonly say?: (value: string) => string;
  readonly set: (value: string) => void;
}

function Choice({ name, value, values, say = (one) => one, set }: ChoiceProps) {
  return (
    <select
      aria-label={name}
      class={value === "" ? undefined : "chosen"}
      value={value}
      onChange={(event) => set(event.currentTarget.value)}
    >
      <option value="">{`${name}: any`}</option>
      {values.map((one) => (
        <option key={one} value={one}>
          {say(one)}
        </option>
      ))}
    </select>
  );
}

/** `alpha.v1.SecretService` → `SecretService · alpha.v1` */
function shortService(name: string): string {
  const { package: packageName, service } = splitRpc(`${name}/-`);
  return `${service} · ${packageName}`;
}
