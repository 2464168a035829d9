import type { RpcFacts } from "../../../harness/case/result.ts";
import { useReader } from "./reader.ts";

/** The RPC's row of the contract: what it does, who may call it, what it costs, and fields with a part of their own. */
export function ContractRow({ rpc }: { readonly rpc: string }) {
  const facts = useReader().report.facts(rpc);
  if (facts === undefined) return null;
  return (
    <section class="contract-row" aria-label="Row of the contract">
      <dl>
        {cellsOf(facts).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        {Object.entries(facts.fields).map(([part, names]) => (
          <div key={part}>
            <dt>{part}</dt>
            <dd>
              {names.map((name, index) => (
                <span key={name}>
                  {index > 0 && ", "}
                  <code>{name}</code>
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function cellsOf(facts: RpcFacts): readonly (readonly [string, string])[] {
  return [
    ["effect", facts.subject === "" ? facts.effect : `${facts.effect}: ${facts.subject}`],
    ["kind", facts.stream ? "server stream" : "unary"],
    ["scope", facts.scope === "" ? "none" : facts.scope],
    ["credentials", facts.credentials.join(", ") || "none"],
    ["execution", facts.execution],
    ["cost", facts.cost],
    ...(facts.payloadAccess === undefined ? [] : ([["payload access", facts.payloadAccess]] as const)),
    ...(facts.fixture ? ([["served on", "the test base URL only"]] as const) : []),
  ];
}
