import { type PackageName, rpcs } from "../../../../proto/rpcs.ts";

/** A credential as a client gets it. */
export interface Key {
  readonly token: string;
  readonly scopes: readonly string[];
}

/** Every scope the rows of a package name. */
export function scopesOf(name: PackageName): readonly string[] {
  return [...new Set(rpcs.filter((row) => row.package === name).map((row) => row.scope))].sort();
}

/** For each scope a key with it alone, and one with all others; and one without any. */
export function issueLimited(scopes: readonly string[], issue: (scopes: readonly string[]) => Key): Key[] {
  const some = scopes.flatMap((scope) => [[scope], scopes.filter((other) => other !== scope)]);
  return [...some, []].map(issue);
}
