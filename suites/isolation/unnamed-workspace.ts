import { defineRule } from "../../harness/case/case.ts";
import { findRecord } from "../../harness/setup/listing.ts";
import { callListing } from "../../harness/setup/page-size.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { listAt, showJson } from "../../harness/wire/json.ts";
import { isObject } from "../../harness/wire/reply.ts";

export const unnamedWorkspace = defineRule({
  id: "isolation/listing-without-a-workspace-shows-own-records-only",
  says: "a listing whose request names no workspace is refused, or shows no record of another workspace than its key's",
  clauses: ["*.isolation.list", "*.open.required-fields"],
  rows: (row) => row.package === "alpha.v1" && row.list !== undefined && !row.published,
  async run(context) {
    const { row, setup, call, judge, needs, observe } = context;
    const { key, sharesKey } = await setup.otherTenant(row);
    if (sharesKey) throw new ChosenOtherwise("one key serves both workspaces");
    const { subjects, request, baseUrl } = await setup.listed(row);
    const { workspaceId: _, ...unnamed } = request;
    // The positive control: who names the workspace is shown its records.
    const { reply: own, page } = await callListing(context, row, request, { baseUrl });
    needs(own);
    const asked = Object.keys(page).length > 0 ? { ...unnamed, page } : unnamed;
    const reply = await call(row, asked, { baseUrl, as: key });
    observe("*.open.required-fields", `a listing that names no workspace is ${reply.outcome}`);
    const records = reply.outcome === "served" ? listAt(reply.json, row.list?.name ?? "").filter(isObject) : [];
    const found = subjects.map(({ id }) => findRecord(records, row, id)).find((one) => one !== undefined);
    judge(reply, undefined, [own]).satisfies(
      found === undefined,
      "a refusal, or no record of another workspace than the key's",
      showJson(found ?? null),
    );
  },
});
