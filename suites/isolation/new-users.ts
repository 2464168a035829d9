import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import { findRecord } from "../../harness/setup/listing.ts";
import { callListing } from "../../harness/setup/page-size.ts";
import { listAt, showJson } from "../../harness/wire/json.ts";
import { isObject, type Reply } from "../../harness/wire/reply.ts";
import { recordFields, withoutNamingFilters } from "../../proto/resources.ts";
import { CredentialKind } from "../../proto/rpcs.ts";
import { ofOneUser } from "../common/isolation-clause.ts";
import { namesAnother } from "./users.ts";

export const newUsers = defineRule({
  id: "isolation/listing-for-a-new-user-shows-no-others-records",
  says: "a listing for a customer user who has nothing yet shows no record of another, by a browser token and by a backend key",
  clauses: ["*.isolation.user-list", "*.isolation.named-user", "*.endpoints.served"],
  rows: (row) => ofOneUser(row) && row.list !== undefined,
  async run({ setup: { apart } }) {
    const context = await apart();
    const { row, setup, judge, needs } = context;
    const { baseUrl } = setup;
    const mine = await setup.shared(row.subject);
    // The positive control: there is something to be listed.
    const own = await callListing(context, row, await setup.request(row, mine), { baseUrl: baseUrl(row, mine) });
    judge(own.reply, "*.endpoints.served").isServed();
    const itemsOf = (reply: Reply) => listAt(needs(reply), row.list?.name ?? "").filter(isObject);
    const { id } = recordFields(row);
    const theirs = [mine.id, ...itemsOf(own.reply).flatMap((item) => item[id] ?? [])];
    const user = await setup.fresh("customer_user");
    const named: JsonObject = { customerUserId: user.id };
    const request = { ...withoutNamingFilters(row, await setup.request(row, mine)), ...named };
    const as = await setup.credentialOfKind(CredentialKind.BROWSER_TOKEN, row, user);
    const callers = [
      ["*.isolation.user-list", { as }],
      ["*.isolation.named-user", {}],
    ] as const;
    for (const [clause, options] of callers) {
      const asked = { ...request, requestId: setup.requestId() };
      const { reply } = await callListing(context, row, asked, { baseUrl: baseUrl(row, mine), ...options });
      // A listing that names none of the user's things may be refused.
      if (reply.outcome === "refused" && row.filters.length > 0) continue;
      const items = itemsOf(reply);
      const found =
        theirs.map((id) => findRecord(items, row, id)).find((record) => record !== undefined) ??
        items.find((item) => namesAnother(item, named));
      judge(reply, clause, [own.reply]).satisfies(
        found === undefined,
        "no record of another user",
        showJson(found ?? null),
      );
    }
  },
});
