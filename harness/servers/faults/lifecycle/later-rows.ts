import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { rpcs } from "../../../../proto/rpcs.ts";
import { editAt, onReply } from "../edit.ts";
import type { EitherDecoration, Fault } from "../fault.ts";
import { faultsAt } from "../table.ts";
import { textIn } from "../values.ts";

/** Listings of what a case can make, and change, as it likes. */
const listings = rpcs.filter(({ method }) => ["ListSecrets", "ListWebhookEndpoints"].includes(method));

/** Shows records of a later page as they were made. */
export const laterTimes: readonly Fault[] = faultsAt(listings, {
  id: "lifecycle/creation-times-on-later-pages",
  says: "shows the creation of a record as its update from the second page on",
  breaks: "*.records.agree",
  decorate: (row) =>
    onReply((json, { request }) => {
      if (textIn(request, "page.cursor") === "") return json;
      const shown = (one: JsonValue) => ({ ...(one as JsonObject), updatedAt: (one as JsonObject).createdAt ?? null });
      return editAt(json, `${row.list?.name}[]`, shown);
    })(row) as EitherDecoration,
});
