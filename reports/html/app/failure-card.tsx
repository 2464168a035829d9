import { useMemo } from "preact/hooks";
import type { Finding } from "../../../harness/case/result.ts";
import type { FailureGroup } from "../../evidence.ts";
import { splitRpc } from "../../order.ts";
import { count } from "../../words.ts";
import { glanceAt } from "../comparison.ts";
import { ClauseName } from "./clause.tsx";
import { Breakable, LevelTag, Link } from "./parts.tsx";
import { Sign } from "./sign.tsx";

const maxRpcs = 8;

interface FailureCardProps {
  readonly group: FailureGroup;
  readonly tone?: "violated" | "warning";
  /** Rule, clause and RPCs only. */
  readonly brief?: boolean;
  /** The page is about one RPC, which needs no naming. */
  readonly ofOneRpc?: boolean;
}

/** One breach with the RPCs it stands against, and what was expected and came on the first of them. */
export function FailureCard({ group, tone = "violated", brief = false, ofOneRpc = false }: FailureCardProps) {
  const { finding, entry } = group.first;
  return (
    <article class={`card tone-${tone}${brief ? " brief" : ""}`}>
      <Sign of={tone} />
      <div>
        <h3>
          <Link to={{ page: "case", rpc: entry.case.rpc, id: entry.case.id }}>{finding.rule}</Link>
        </h3>
        <div class="card-facts">
          <LevelTag level={finding.level} />
          <ClauseName id={finding.clause} />
          {!brief && <span class="id">{entry.case.id}</span>}
          {brief && <Members group={group} />}
        </div>
        {!brief && <Glance finding={finding} />}
        {!brief && !ofOneRpc && <Members group={group} />}
      </div>
    </article>
  );
}

/** Where it was seen: a link per RPC. */
function Members({ group: { first, others } }: { readonly group: FailureGroup }) {
  const members = [...new Map([first, ...others].map((failure) => [failure.finding.rpc, failure])).values()];
  const rest = members.length - maxRpcs;
  return (
    <ul class="rpcs" aria-label="RPCs">
      {members.slice(0, maxRpcs).map(({ entry, finding: { rpc } }) => (
        <li key={rpc}>
          <Link to={{ page: "case", rpc: entry.case.rpc, id: entry.case.id }} title={rpc}>
            <Breakable name={splitRpc(rpc).method} />
          </Link>
        </li>
      ))}
      {rest > 0 && <li class="faint">and {count(rest, "other")}</li>}
    </ul>
  );
}

function Glance({ finding }: { readonly finding: Finding }) {
  const [expected, actual] = useMemo(() => glanceAt(finding.expected, finding.actual), [finding]);
  return (
    <dl class="glance">
      <dt>expected</dt>
      <dd>{expected}</dd>
      <dt>actual</dt>
      <dd class="glance-actual">{actual}</dd>
    </dl>
  );
}
