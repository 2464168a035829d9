import type { Outcome } from "../../../harness/case/result.ts";
import type { CaseHistory, PastRun } from "../../history.ts";
import { count, duration, outcomeSigns, outcomeWords } from "../../words.ts";
import { dateTime } from "./summary.tsx";

/** Since when a case fails, how often it turned, and what it came to run by run. */
export function CaseHistorySection({ runs, of }: { readonly runs: readonly PastRun[]; readonly of: CaseHistory }) {
  const failing = of.since === undefined ? "It does not fail now." : `It fails since ${dateTime(of.since)}.`;
  const flaky = of.flakeRate === 0 ? "" : ` It turned in ${Math.round(of.flakeRate * 100)} % of the runs.`;
  return (
    <section aria-labelledby="earlier-runs">
      <h2 id="earlier-runs">
        Earlier runs <span class="faint">{count(runs.length, "run")}, the latest last</span>
      </h2>
      <p class="lead">
        {failing}
        {flaky}
      </p>
      <ol class="past-outcomes">
        {of.outcomes.map((outcome, index) => (
          <li key={runs[index]?.startedAt} class={outcome === null ? "tone-none" : `tone-${outcome}`}>
            <span aria-hidden="true" title={`${dateTime(runs[index]?.startedAt ?? "")}: ${wordOf(outcome)}`}>
              {outcome === null ? "·" : outcomeSigns[outcome]}
            </span>
            <span class="unseen">{wordOf(outcome)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function wordOf(outcome: Outcome | null): string {
  return outcome === null ? "not in the run" : outcomeWords[outcome];
}

const box = { width: 640, height: 72 };

/** The runs against the target so far: verdicts and duration as lines, and the figures as a table. */
export function Trend({ runs }: { readonly runs: readonly PastRun[] }) {
  const latest = runs.toReversed().slice(0, 12);
  return (
    <section aria-labelledby="trend">
      <h2 id="trend">Trend</h2>
      <Line name="Cases that fail" values={runs.map(({ violated, open }) => violated + open)} tone="violated" />
      <Line name="Duration" values={runs.map(({ durationMs }) => durationMs)} tone="muted" show={duration} />
      <div class="table-box">
        <table class="observations">
          <thead>
            <tr>
              {["Run", "Held", "Violated", "Open", "Took", "Seed"].map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {latest.map((run) => (
              <tr key={run.startedAt}>
                <th scope="row">{dateTime(run.startedAt)}</th>
                {[run.held, run.violated, run.open, duration(run.durationMs), run.seed].map((cell, index) => (
                  <td key={`${index} ${cell}`}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

interface LineProps {
  readonly name: string;
  readonly values: readonly number[];
  readonly tone: string;
  readonly show?: (value: number) => string;
}

/** A line from the first run to the last, from zero up to the largest value. */
function Line({ name, values, tone, show = String }: LineProps) {
  const most = Math.max(1, ...values);
  const step = box.width / Math.max(1, values.length - 1);
  const points = values.map((value, index) => `${index * step},${box.height - 4 - (value / most) * (box.height - 8)}`);
  const label = `${name}: ${show(values[0] ?? 0)} at first, ${show(values.at(-1) ?? 0)} now, ${show(most)} at most`;
  return (
    <figure class={`trend trend-${tone}`}>
      <figcaption>{label}</figcaption>
      <svg viewBox={`0 0 ${box.width} ${box.height}`} role="img" aria-label={label} preserveAspectRatio="none">
        <polyline points={points.join(" ")} fill="none" stroke="currentColor" stroke-width="2" />
      </svg>
    </figure>
  );
}
