import type { ClauseText } from "../../../harness/case/result.ts";
import { Copy } from "./copy.tsx";
import { Breakable } from "./parts.tsx";
import { useReader } from "./reader.ts";

/** The URL of a clause's place; undefined where the results bring a path only, which no page can link to. */
function urlOf(clause: ClauseText | undefined): string | undefined {
  return clause?.link?.startsWith("https://") ? clause.link : undefined;
}

/** A clause: its id, leading to where it is written out, and on hover and to screen readers what it says. */
export function ClauseName({ id }: { readonly id: string }) {
  const clause = useReader().report.clause(id);
  const url = urlOf(clause);
  const name = (
    <code class="clause" title={clause === undefined ? undefined : `${clause.says} (${clause.at})`}>
      <Breakable name={id} />
    </code>
  );
  return url === undefined ? name : <a href={url}>{name}</a>;
}

/** Where a clause stands: as a link, or as the path of the page in Hallmark's repository, to be copied. */
export function ClausePlace({ clause }: { readonly clause: ClauseText }) {
  const url = urlOf(clause);
  if (url !== undefined) return <a href={url}>({clause.at})</a>;
  return (
    <span class="faint">
      ({clause.at})
      {clause.link !== undefined && (
        <>
          {" "}
          <code>
            <Breakable name={clause.link} />
          </code>{" "}
          <Copy text={clause.link} of="place" />
        </>
      )}
    </span>
  );
}
