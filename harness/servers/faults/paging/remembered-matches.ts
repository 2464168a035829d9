import type { Message } from "@bufbuild/protobuf";
import { rpc } from "../../../../proto/rpcs.ts";
import { readField } from "../../reference/core/fields.ts";
import type { Fault } from "../fault.ts";
import { wrapping } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { type AskedPage, wholeListing } from "./whole-listing.ts";

interface Asked extends AskedPage {
  readonly state?: number;
}

/** What a listing's cursor stands for: the records that fitted, and by which state. */
interface Matches {
  readonly state: number;
  readonly ids: readonly string[];
}

/** The id of a record, whatever its field is called. */
function idOf(record: Message): string {
  const id = readField(record, "id") ?? readField(record, "approvalId") ?? readField(record, "jobId");
  return (id as { value: string }).value;
}

/** Remembers which records fitted when the first page was asked for, and shows those on later pages, as they are by then. */
function rememberingMatches() {
  const remembered: Matches[] = [];
  return wrapping((next) => async (context, request) => {
    const field = context.row.list?.field.localName ?? "";
    const { state = 0, page = { pageSize: 0, cursor: "" } } = request as unknown as Asked;
    const all = (by: object) =>
      wholeListing(context, (asked) => next(context, { ...request, ...by, ...asked } as never));
    const [number = "", from = "0"] = page.cursor.split(":");
    const known = page.cursor === "" ? undefined : remembered[Number(number)];
    // A cursor is good for its own filter alone, as that of the reference is.
    if (page.cursor !== "" && known?.state !== state) return next(context, request);
    const matches = known ?? { state, ids: (await all({})).found.map(idOf) };
    const place = known === undefined ? remembered.push(matches) - 1 : Number(number);
    const { found, reply } = await all({ state: 0 });
    const records = new Map(found.map((record) => [idOf(record), record]));
    const until = Number(from) + (page.pageSize === 0 ? 50 : Math.min(page.pageSize, 100));
    const shown = matches.ids.slice(Number(from), until).flatMap((id) => records.get(id) ?? []);
    const nextCursor = until < matches.ids.length ? `${place}:${until}` : "";
    return { ...reply, [field]: shown, page: { ...(readField(reply, "page") as object), nextCursor } } as never;
  });
}

export const rememberedMatches: readonly Fault[] = faultsAt(
  [rpc("alpha.v1.JobService/ListJobs"), rpc("beta.v1.ApprovalService/ListApprovals")],
  {
    id: "paging/later-pages-show-what-fitted-before",
    says: "shows on later pages what was of that state when the first was asked for, as it is by now",
    breaks: "*.filters.hold",
    decorate: (row) => rememberingMatches()(row),
  },
);
