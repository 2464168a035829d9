import { packageNames } from "../../../proto/rpcs.ts";
import type { Case } from "../../case/case.ts";
import { planInstances } from "../../case/plan.ts";
import type { TargetFile, TargetSettings } from "../../target/schema.ts";
import { createTarget } from "../../target/target.ts";
import { listTargetKeys, type TargetKey } from "../target-keys.ts";

/** What a run against a target would put to it, as far as that is known without asking anything. */
export interface Plan {
  readonly packages: readonly { readonly package: string; readonly cases: number; readonly rpcs: number }[];
  /** Keys the file does not give, of the packages it gives a base URL of. */
  readonly missing: readonly Pick<TargetKey, "path" | "description">[];
}

/** Keys that say how a run goes, or what it is called: without them nothing is missing. */
const ofTheRun = /^(\$schema|name|patience|limits|tls)\b/;

/** The plan of a target file: what is asked of each package it names, and which keys it does not give. */
export function planOf(settings: TargetSettings, file: TargetFile, cases: readonly Case[]): Plan {
  const { packages } = createTarget(settings);
  const sections = new Set(packages.map((name) => name.slice(0, name.indexOf("."))));
  const others = packageNames.map((name) => name.slice(0, name.indexOf("."))).filter((name) => !sections.has(name));
  const isMissing = ({ path, kind, default: usual }: TargetKey) => {
    const [section = ""] = path.split(".");
    if (ofTheRun.test(path) || kind === "mapping" || usual !== undefined) return false;
    // Of a package that is not judged its address is what is missing, and nothing else yet.
    return others.includes(section) ? path === `${section}.baseUrl` : valueAt(file, path) === undefined;
  };
  return {
    packages: packages.map((name) => {
      const planned = planInstances(cases, [name]);
      return { package: name, cases: planned.length, rpcs: new Set(planned.map(({ row }) => row)).size };
    }),
    missing: listTargetKeys().filter(isMissing),
  };
}

function valueAt(file: TargetFile, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((at, key) => (at as Readonly<Record<string, unknown>> | undefined)?.[key], file);
}
