import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import type { Credential } from "../../harness/wire/request.ts";
import { otherKindsOf } from "../../proto/resources.ts";
import { CredentialKind } from "../../proto/rpcs.ts";

/** A caller that may not make a call, whatever has become of the record that it is about. */
export interface CallerWithout {
  readonly because: string;
  readonly as: Credential;
  readonly clause: string;
}

/** A caller without a credential, or with one that does not suffice. */
export interface Stranger extends Omit<CallerWithout, "as"> {
  readonly as: Credential | null;
}

/** Nobody, and a caller without the scope as far as the target file has one: what they ask for may be done before they are refused. */
export async function strangersTo(context: CaseContext, record: Subject): Promise<readonly Stranger[]> {
  const without = (await callersWithout(context, record)).filter(({ clause }) => clause === "*.auth.scope");
  return [{ because: "it carries no credential", as: null, clause: "*.auth.required" }, ...without.slice(0, 1)];
}

/** Callers of another kind, without the scope, and without the permission, as far as the target file has such. A browser token is of the record's user. */
export async function callersWithout(
  { row, setup }: CaseContext,
  record: Subject | undefined,
): Promise<readonly CallerWithout[]> {
  const { scope, credentials } = row;
  const callers: CallerWithout[] = [];
  const add = async (because: string, clause: string, work: Promise<Credential>) => {
    const as = await orUndefined(work);
    if (as !== undefined) callers.push({ because, as, clause });
  };
  for (const kind of otherKindsOf(row))
    await add(
      `its credential is of kind ${CredentialKind[kind]}, which the RPC does not accept`,
      "*.auth.kinds",
      setup.credentialOfKind(kind, row, record),
    );
  for (const kind of scope === "" ? [] : credentials) {
    if (kind === CredentialKind.IDP_USER) continue;
    const without = setup.credentialOfKindWithoutScope(kind, row, record);
    await add(`its credential, of kind ${CredentialKind[kind]}, lacks ${scope}`, "*.auth.scope", without);
  }
  if (credentials.includes(CredentialKind.IDP_USER))
    await add("its user has no permission", "*.auth.idp-user", (async () => setup.unpermittedUser())());
  return callers;
}
