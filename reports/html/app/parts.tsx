import type { ComponentChildren } from "preact";
import type { Outcome, Tally, Verdict } from "../../../harness/case/result.ts";
import { splitRpc } from "../../order.ts";
import { count, outcomes, outcomeWords } from "../../words.ts";
import { hashOf, type Place } from "../address.ts";
import { everything, type Filter } from "../filter.ts";
import { shortRpc } from "../report.ts";
import { useReader } from "./reader.ts";
import { Sign } from "./sign.tsx";

interface LinkProps {
  readonly to: Place;
  /** What the page is narrowed to there; by default, what it is narrowed to here. */
  readonly filter?: Filter;
  readonly class?: string;
  readonly title?: string;
  readonly current?: boolean;
  readonly children: ComponentChildren;
}

/** A link within the report; it carries the filter along, so that the way back leads to the same list. */
export function Link({ to, filter, class: className, title, current, children }: LinkProps) {
  const { address } = useReader();
  return (
    <a
      href={hashOf({ place: to, filter: filter ?? address.filter })}
      class={className}
      title={title}
      aria-current={current === true ? "page" : undefined}
    >
      {children}
    </a>
  );
}

/** An RPC by name, leading to its page. */
export function RpcLink({ rpc, short = false }: { readonly rpc: string; readonly short?: boolean }) {
  return (
    <Link to={{ page: "rpc", rpc, area: "" }} class="rpc-link" title={rpc}>
      <Breakable name={short ? splitRpc(rpc).method : shortRpc(rpc)} />
    </Link>
  );
}

/** A camel-case name that may break between its words. */
export function Breakable({ name }: { readonly name: string }) {
  const parts = name.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[/.-])/);
  return <>{parts.flatMap((part, index) => (index === 0 ? [part] : [<wbr key={index} />, part]))}</>;
}

/** A sign with its word: `✗ violated`. */
export function OutcomeBadge({ outcome }: { readonly outcome: Outcome }) {
  return (
    <span class={`badge tone-${outcome}`}>
      <Sign of={outcome} />
      {outcomeWords[outcome]}
    </span>
  );
}

export function VerdictBadge({ verdict, word }: { readonly verdict: Verdict; readonly word: string }) {
  return (
    <span class={`badge tone-${verdict}`}>
      <Sign of={verdict} />
      {word}
    </span>
  );
}

/** The force of a clause: `must`. */
export function LevelTag({ level }: { readonly level: string }) {
  return <span class={`level level-${level}`}>{level}</span>;
}

interface TallyProps {
  readonly tally: Tally;
  readonly warnings?: number;
}

/** `✗ 1 violated`, `✓ 11 held`: every outcome there is, the one that asks for action first. */
export function TallyList({ tally, warnings = 0 }: TallyProps) {
  return (
    <ul class="tally">
      {outcomes
        .filter((outcome) => tally[outcome] > 0)
        .map((outcome) => (
          <li key={outcome} class={`tone-${outcome}`}>
            <Sign of={outcome} />
            {tally[outcome]} {outcomeWords[outcome]}
          </li>
        ))}
      {warnings > 0 && (
        <li class="tone-warning">
          <Sign of="warning" />
          {count(warnings, "warning")}
        </li>
      )}
    </ul>
  );
}

/** The same in words, for titles and accessible names. */
export function tallyWords(tally: Tally): string {
  const present = outcomes.filter((outcome) => tally[outcome] > 0);
  return present.map((outcome) => `${tally[outcome]} ${outcomeWords[outcome]}`).join(", ");
}

/** What to do where a filter leaves nothing. */
export function Nothing({ what }: { readonly what: string }) {
  const { narrow } = useReader();
  return (
    <p class="nothing">
      No {what} match the filters.{" "}
      <button type="button" class="plain" onClick={() => narrow(everything)}>
        Clear the filters
      </button>
    </p>
  );
}
