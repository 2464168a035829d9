import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orElse, orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { enumFilterOf } from "../../harness/setup/required-state.ts";
import { isDefault } from "../../harness/wire/json.ts";
import { widerListing } from "../../proto/resources.ts";
import { CredentialKind } from "../../proto/rpcs.ts";
import { ofOneUser } from "../common/isolation-clause.ts";
import { fewAndMany } from "../common/page-sizes.ts";
import { furtherRecords } from "../lifecycle/records/further-records.ts";
import { judgePages, judgeUnsized, oneOf } from "./pages.ts";
import { namesAnother, toldFrom } from "./users.ts";

/** Records of the usual user, in every state there is one in: made before what another user's listing shows. */
async function recordsBefore(context: CaseContext): Promise<readonly Subject[]> {
  const further = await orElse(furtherRecords(context), []);
  return [await context.setup.shared(context.row.subject), ...further.map(([, record]) => record)];
}

/** What a listing is asked besides: without what names a thing of the user's own, and by each state that some records have. */
function otherwise({ row }: CaseContext, request: JsonObject, records: readonly Subject[]): readonly JsonObject[] {
  const wide = [widerListing(row, request)].filter((one) => one !== undefined);
  const name = enumFilterOf(row)?.name;
  if (name === undefined) return wide;
  const states = new Set(records.map(({ record }) => record[name]).filter((state) => !isDefault(state)));
  return [...wide, ...[...states].map((state) => ({ ...request, [name]: state ?? null }))];
}

export const userPages = defineRule({
  id: "isolation/pages-show-the-named-users-records-only",
  says: "no page of a listing for one customer user, of one record, a hundred or no size that is asked for, shows a record of another, whatever its state, for every kind of credential",
  clauses: ["*.isolation.user-list", "*.isolation.named-user"],
  rows: (row) => ofOneUser(row) && row.list !== undefined,
  async run(context) {
    const { row, setup } = context;
    const before = await recordsBefore(context);
    const there = await setup.asAnotherUser();
    const { subjects, request, baseUrl } = await there.setup.listed(row);
    // A listing goes on with what is older than its first page, or with what is younger.
    const others = toldFrom(subjects, [...before, await setup.fresh(row.subject)]);
    const isOneOf = oneOf(row, others);
    const isForeign = (record: JsonObject) => isOneOf(record) || namesAnother(record, request);
    for (const kind of row.credentials.filter((one) => one !== CredentialKind.IDP_USER)) {
      const as = await orUndefined(there.setup.credentialOfKind(kind, row, subjects[0]));
      if (as === undefined) continue;
      const clause = kind === CredentialKind.BROWSER_TOKEN ? "*.isolation.user-list" : "*.isolation.named-user";
      const foreign = { of: "another user", isForeign, clause };
      await judgeUnsized(there, request, { baseUrl, as }, foreign);
      for (const pageSize of fewAndMany) {
        await judgePages(there, request, { baseUrl, as }, { ...foreign, pageSize });
        for (const asked of otherwise(context, request, others))
          await judgePages(there, asked, { baseUrl, as }, { ...foreign, pageSize, mayBeRefused: true });
      }
    }
  },
});
