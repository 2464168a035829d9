import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import type { Credential } from "../../harness/wire/request.ts";
import { otherKindsOf } from "../../proto/resources.ts";
import { CredentialKind, type RpcRow } from "../../proto/rpcs.ts";

/** A caller that may not make a call, whatever has become of the record that it is about. */
export interface CallerWithout {
  readonly because: string;
  readonly as: Credential;
  readonly clause: string;
}

/** A caller without a credential, or with one that does not suffice. */
interface InsufficientCaller extends Omit<CallerWithout, "as"> {
  readonly as: Credential | null;
}

/** A caller without the scope, by a kind of credential, as far as the target file has one. */
async function callerWithoutScope(
  { row, setup }: CaseContext,
  kind: CredentialKind,
  record: Subject | undefined,
): Promise<CallerWithout | undefined> {
  const as = await orUndefined(setup.credentialOfKindWithoutScope(kind, row, record));
  const because = `its credential, of kind ${CredentialKind[kind]}, lacks ${row.scope}`;
  return as && { because, as, clause: "*.auth.scope" };
}

/** The kinds of credentials that have scopes, for a row that asks for one: keys before tokens. */
const scopedKinds = ({ scope, credentials }: RpcRow) =>
  scope === "" ? [] : credentials.filter((kind) => kind !== CredentialKind.IDP_USER);

/**
 * Nobody, and a caller without the scope as far as the target file has one: what they ask for may be done before they are refused.
 * No token is issued where a key will do: another one of the user's may end by that.
 */
async function insufficientCallers(context: CaseContext, record: Subject): Promise<readonly InsufficientCaller[]> {
  const nobody: InsufficientCaller = { because: "it carries no credential", as: null, clause: "*.auth.required" };
  for (const kind of scopedKinds(context.row)) {
    const caller = await callerWithoutScope(context, kind, record);
    if (caller !== undefined) return [nobody, caller];
  }
  return [nobody];
}

/** A call that is to be refused: why, the clause that says so, and what of it differs: who makes it, or the version it expects. */
export interface Refusable extends Omit<InsufficientCaller, "as"> {
  readonly as?: Credential | null;
  readonly version?: string;
}

/** A call at a version that is not current, one without a credential, and one without the scope, as far as the target file has a key for that. */
export async function refusableCalls(
  context: CaseContext,
  record: Subject,
  version: string,
  because: string,
): Promise<readonly Refusable[]> {
  return [{ because, clause: "*.versioning.expected", version }, ...(await insufficientCallers(context, record))];
}

/**
 * Judges that the call about a record is refused to nobody and to a caller without the scope, and what each of them left behind.
 *
 * @param isLeftAlone judges, under a clause, that a refused call did nothing
 * @returns false where one was served, or did something
 */
export async function judgeInsufficientCallers(
  context: CaseContext,
  record: Subject,
  isLeftAlone: (refused: Reply, clause: string) => Promise<boolean>,
): Promise<boolean> {
  const { row, setup, call, judge } = context;
  for (const { because, as, clause } of await insufficientCallers(context, record)) {
    const refused = await call(row, await setup.request(row, record), { as });
    if (!judge(refused, clause).isRefused({ because }) || !(await isLeftAlone(refused, clause))) return false;
  }
  return true;
}

/** Callers of another kind, without the scope, and without the permission, as far as the target file has such. A browser token is of the record's user. */
export async function callersWithout(
  context: CaseContext,
  record: Subject | undefined,
): Promise<readonly CallerWithout[]> {
  const { row, setup } = context;
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
  for (const kind of scopedKinds(row)) {
    const caller = await callerWithoutScope(context, kind, record);
    if (caller !== undefined) callers.push(caller);
  }
  if (row.credentials.includes(CredentialKind.IDP_USER))
    await add("its user has no permission", "*.auth.idp-user", (async () => setup.unpermittedUser())());
  return callers;
}
