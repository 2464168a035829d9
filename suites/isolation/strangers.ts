import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import { ChosenOtherwise, NotExercised } from "../../harness/target/target.ts";
import type { Credential } from "../../harness/wire/request.ts";
import { CredentialKind } from "../../proto/rpcs.ts";
import { isolationClause, ofOneUser, userIsolationClause } from "../common/isolation-clause.ts";

/** A caller that is to be refused a record, and what its call names in place of whose the record is. */
export interface Stranger {
  readonly whose: string;
  readonly fields: JsonObject;
  readonly as: Credential;
  readonly clause: string;
}

/** Callers for, and of, another user of the same app. */
async function ofOtherUser({ row, setup }: CaseContext): Promise<readonly Stranger[]> {
  const { fields, token } = await setup.otherUser();
  const clause = userIsolationClause(row);
  const as = await token(row);
  const whose = "another user than it names";
  const strangers: Stranger[] = [
    { whose, fields, as, clause },
    { whose: "another user than its token is for", fields: {}, as, clause },
  ];
  if (!row.credentials.includes(CredentialKind.BACKEND_KEY)) return strangers;
  return [...strangers, { whose, fields, as: await setup.credential(row), clause: "*.isolation.named-user" }];
}

/** A caller of another workspace. */
async function ofOtherTenant({ row, setup }: CaseContext): Promise<readonly Stranger[]> {
  const { key, tenant, sharesKey } = await setup.otherTenant(row);
  if (sharesKey) throw new ChosenOtherwise("one key serves both workspaces");
  return [{ whose: "another workspace", fields: tenant, as: key, clause: isolationClause(row) }];
}

/** Those whom the target file has, and what it lacks for the others. Throws NotExercised where it has none. */
export async function strangersTo(
  context: CaseContext,
): Promise<{ readonly strangers: readonly Stranger[]; readonly missing: NotExercised | undefined }> {
  const strangers: Stranger[] = [];
  let missing: NotExercised | undefined;
  for (const find of ofOneUser(context.row) ? [ofOtherTenant, ofOtherUser] : [ofOtherTenant]) {
    try {
      strangers.push(...(await find(context)));
    } catch (error) {
      if (!(error instanceof NotExercised)) throw error;
      missing = error;
    }
  }
  if (missing !== undefined && strangers.length === 0) throw missing;
  return { strangers, missing };
}
