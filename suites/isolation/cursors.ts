import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { findRecord } from "../../harness/setup/subject.ts";
import { listAt, showJson } from "../../harness/wire/json.ts";
import { isObject } from "../../harness/wire/reply.ts";
import { withoutNamingFilters } from "../../proto/resources.ts";
import { CredentialKind, type RpcRow } from "../../proto/rpcs.ts";
import { partialPage } from "../common/partial-page.ts";

/** Listings of one customer user's records. */
const listsOfUser = (row: RpcRow) =>
  row.list !== undefined &&
  row.credentials.includes(CredentialKind.BROWSER_TOKEN) &&
  row.ids.some(({ facts }) => facts.names === "customer_user");

/** Sizes a page is asked for: one of them is served where the cursor came from. */
const sizes: readonly JsonObject[] = [{ pageSize: 100 }, { pageSize: 1 }];

export const ofUser = defineRule({
  id: "isolation/cursor-is-user-scoped",
  says: "a cursor taken to another customer user of the app is refused or shows nothing of the first user",
  clauses: ["*.isolation.user-list", "*.isolation.named-user"],
  rows: listsOfUser,
  async run(context) {
    const { row, setup, call, judge, observe } = context;
    const { subjects, request: listing } = await setup.listed(row);
    const other = await setup.otherUser();
    // A filter that names a thing of the first user hides what a cursor shows to another; it may be required, though.
    const unfiltered = withoutNamingFilters(row, listing);
    const isNarrow = Object.keys(unfiltered).length < Object.keys(listing).length;
    const isServed =
      isNarrow && (await call(row, { ...unfiltered, ...freshRequestId(row, setup) })).outcome === "served";
    const { first, cursor, request } = await partialPage(context, isServed ? unfiltered : listing);
    if (cursor === "") return;
    const callers = [
      { clause: "*.isolation.user-list", as: await other.token(row) },
      ...(row.credentials.includes(CredentialKind.BACKEND_KEY)
        ? [{ clause: "*.isolation.named-user", as: undefined }]
        : []),
    ];
    for (const { clause, as } of callers) {
      for (const size of sizes) {
        const asked = { ...request, ...freshRequestId(row, setup), ...other.fields, page: { ...size, cursor } };
        const reused = await call(row, asked, { as });
        const records = reused.outcome === "served" ? listAt(reused.json, row.list?.name ?? "").filter(isObject) : [];
        const found = subjects.map((subject) => findRecord(records, row, subject.id)).find((one) => one !== undefined);
        judge(reused, clause, [first]).satisfies(
          reused.outcome !== "broken" && found === undefined,
          "a refusal, or nothing of the first user",
          showJson(found ?? null),
        );
        observe("*.open.bad-cursor", `a cursor of another user is ${reused.outcome}`);
      }
    }
  },
});
