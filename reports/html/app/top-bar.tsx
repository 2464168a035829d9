import { groupObservations } from "../../observations.ts";
import type { Listing } from "../address.ts";
import { Link } from "./parts.tsx";
import { useReader } from "./reader.ts";
import { Sign } from "./sign.tsx";
import { switchTheme } from "./theme.ts";

/** The bar on every page: the verdict, the pages, the theme and the keys. */
export function TopBar({ showHelp }: { readonly showHelp: () => void }) {
  const { report, address } = useReader();
  const { headline, results } = report.view;
  const { summary } = results;
  const toActOn = summary.violated + summary.error + summary.unproven;
  const tabs: readonly (readonly [page: Listing, name: string, count?: number])[] = [
    ["matrix", "Matrix"],
    ["failures", "Failures", toActOn],
    ["cases", "Cases", summary.cases],
    ["observations", "Observations", groupObservations(results.observations).length],
    ["run", "Run"],
  ];
  return (
    <header class={`top-bar tone-${headline.verdict}`}>
      <Link to={{ page: "matrix" }} class="brand">
        <Sign of={headline.verdict} />
        <span class="brand-name">Hallmark</span>
        <span class="brand-target">{results.target.name}</span>
      </Link>
      <nav aria-label="Report">
        {tabs.map(([page, name, count]) => (
          <Link key={page} to={{ page }} current={address.place.page === page}>
            {name}
            {count !== undefined && (
              <span class={page === "failures" && count > 0 ? "count alert" : "count"}>{count}</span>
            )}
          </Link>
        ))}
      </nav>
      <button
        type="button"
        class="tool"
        aria-label="Switch between light and dark"
        title="Light or dark (t)"
        onClick={switchTheme}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M8 1.5a6.5 6.5 0 1 0 0 13z" fill="currentColor" />
          <circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" stroke-width="1.4" />
        </svg>
      </button>
      <button type="button" class="tool" aria-label="Keys" title="Keys (?)" onClick={showHelp}>
        ?
      </button>
    </header>
  );
}
