import type { Message } from "@bufbuild/protobuf";
import { readField } from "../../reference/core/fields.ts";
import type { Fault } from "../fault.ts";
import { wrapping } from "../steps.ts";
import { faultsOf } from "../table.ts";
import { type AskedPage, wholeListing } from "./whole-listing.ts";

/** How a listing turns its pages: the order it is in by now, where a cursor leads on, and the cursor after a record. */
interface Turning {
  readonly order: (all: Message[]) => Message[];
  readonly from: (all: readonly Message[], cursor: string) => number;
  readonly after: (last: Message, until: number, left: number, pageSize: number) => string;
  /** Items of a page at most. */
  readonly most?: number;
}

/** Pages of a listing that is put in order anew for each. */
const turned = ({ order, from, after, most = 100 }: Turning) =>
  wrapping((next) => async (context, request) => {
    const field = context.row.list?.field.localName ?? "";
    const { page = { pageSize: 0, cursor: "" } } = request as unknown as AskedPage;
    const { found, reply } = await wholeListing(context, (asked) => next(context, { ...request, ...asked } as never));
    const all = order(found);
    const start = page.cursor === "" ? 0 : from(all, page.cursor);
    const pageSize = Math.min(page.pageSize === 0 ? 50 : page.pageSize, most);
    const until = start + pageSize;
    const last = all[until - 1];
    const left = all.length - until;
    const nextCursor = last !== undefined && left > 0 ? after(last, until, left, pageSize) : "";
    const shown = readField(reply, "page") as object;
    return { ...reply, [field]: all.slice(start, until), page: { ...shown, nextCursor } } as never;
  });

/** Pages by how many records came before, in whatever order they are by now. */
const byOffset = (newestFirst: boolean) =>
  turned({
    order: (all) => (newestFirst ? all.reverse() : all),
    from: (_, cursor) => Number.parseInt(cursor, 10) || 0,
    after: (_, until) => String(until),
  });

/** The id of a record, and its place among those that are there; before them all where it is gone. */
const idOf = (record: Message) => (readField(record, "id") ?? readField(record, "sessionId")) as { value: string };

/** Pages from the record after the one that the page before ended with; `gone` is where it goes on once that was deleted. */
const afterLast = (gone: "the first" | "nowhere") =>
  turned({
    order: (all) => all,
    from: (all, cursor) => {
      const place = all.findIndex((record) => idOf(record).value === cursor);
      return place === -1 && gone === "nowhere" ? all.length : place + 1;
    },
    after: (last) => idOf(last).value,
  });

/** When a record was changed last, as a number of microseconds. */
function updatedUs(record: Message): number {
  const { seconds = 0n, nanos = 0 } = (readField(record, "updatedAt") ?? {}) as { seconds?: bigint; nanos?: number };
  return Number(seconds) * 1e6 + nanos / 1e3;
}

/** Pages in the order of updates, each from where the one before ended. */
const byUpdate = (newestFirst: boolean) => {
  const sign = newestFirst ? -1 : 1;
  return turned({
    order: (all) => all.sort((one, other) => sign * (updatedUs(one) - updatedUs(other))),
    from: (all, cursor) => {
      const next = all.findIndex((record) => sign * (updatedUs(record) - Number(cursor)) > 0);
      return next === -1 ? all.length : next;
    },
    after: (last) => String(updatedUs(last)),
  });
};

/** Ends one page early where what is left is exactly a page. */
const endingEarly = turned({
  order: (all) => all,
  from: (_, cursor) => Number.parseInt(cursor, 10) || 0,
  after: (_, until, left, pageSize) => (left === pageSize ? "" : String(until)),
});

/** When a record was made, as a number of milliseconds. */
function createdMs(record: Message): number {
  const { seconds = 0n, nanos = 0 } = (readField(record, "createdAt") ?? {}) as { seconds?: bigint; nanos?: number };
  return Number(seconds) * 1e3 + Math.trunc(nanos / 1e6);
}

/** Pages in the order of creation, each from the millisecond after the one in which the page before ended. */
const byCreation = turned({
  order: (all) => all.sort((one, other) => createdMs(one) - createdMs(other)),
  from: (all, cursor) => {
    const next = all.findIndex((record) => createdMs(record) > Number(cursor));
    return next === -1 ? all.length : next;
  },
  after: (last) => String(createdMs(last)),
});

const nameOf = (record: Message) => String(readField(record, "name"));

/** Pages in the order of names, each from the name after the one that the page before ended with. */
const byName = turned({
  order: (all) => all.sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1)),
  from: (all, cursor) => {
    const before = Buffer.from(cursor, "base64url").toString();
    const next = all.findIndex((record) => nameOf(record) > before);
    return next === -1 ? all.length : next;
  },
  after: (last) => Buffer.from(nameOf(last)).toString("base64url"),
});

/** The most items of a page. */
const mostItems = 5;

/** Goes on one item too late where a page has as many items as there are at most. */
const skippingAfterFull = turned({
  order: (all) => all,
  from: (_, cursor) => Number.parseInt(cursor, 10) || 0,
  after: (_, until, _left, pageSize) => String(pageSize === mostItems ? until + 1 : until),
  most: mostItems,
});

const early = (method: string) =>
  ({ [`${method}-loses-a-full-last-page`]: ["ends before the last page where that is full", endingEarly] }) as const;

const offsets = (method: string) =>
  ({
    [`${method}-newest-first-by-offset`]: ["turns pages of the newest first by an offset", byOffset(true)],
    [`${method}-by-offset`]: ["turns pages by an offset", byOffset(false)],
  }) as const;

const newestFirst = (method: string) =>
  ({
    [`${method}-newest-first-by-offset`]: ["turns pages of the newest first by an offset", byOffset(true)],
  }) as const;

export const offsetFaults: readonly Fault[] = [
  ...faultsOf("paging", "alpha.v1", {
    "*.paging.traversal": {
      ...offsets("ListSecrets"),
      ...offsets("ListWebhookEndpoints"),
      ...offsets("ListArtifacts"),
      ...newestFirst("ListWebhookDeliveries"),
      ...newestFirst("ListJobs"),
      ...early("ListSecrets"),
      ...early("ListArtifacts"),
      "ListArtifacts-by-update": ["lists in the order of updates", byUpdate(false)],
      "ListArtifacts-latest-update-first": ["lists the one that was updated last first", byUpdate(true)],
      "ListSecrets-by-creation-in-milliseconds": ["turns pages by the millisecond of creation", byCreation],
      "ListWebhookEndpoints-by-creation-in-milliseconds": ["turns pages by the millisecond of creation", byCreation],
      "ListArtifacts-by-name": ["turns pages by name", byName],
      "ListWebhookEndpoints-by-name": ["turns pages by name", byName],
      "ListSecrets-by-name": ["turns pages by name", byName],
      "ListSecrets-loses-one-after-the-largest-page": [
        "leaves an item out after a page of as many as there are at most",
        skippingAfterFull,
      ],
      "ListSecrets-begins-anew-after-what-was-deleted": [
        "begins anew where the last record of a page is deleted",
        afterLast("the first"),
      ],
      "ListWebhookEndpoints-ends-after-what-was-deleted": [
        "ends where the last record of a page is deleted",
        afterLast("nowhere"),
      ],
      "ListJobs-begins-anew-after-what-was-deleted": [
        "begins anew where the last record of a page is deleted",
        afterLast("the first"),
      ],
      "ListSecrets-by-update": ["lists in the order of updates", byUpdate(false)],
      "ListWebhookEndpoints-latest-update-first": ["lists the one that was updated last first", byUpdate(true)],
    },
  }),
  ...faultsOf("paging", "beta.v1", {
    "*.paging.traversal": {
      ...offsets("ListSessions"),
      ...offsets("ListSecrets"),
      ...early("ListSessions"),
      ...early("ListSecrets"),
      ...early("ListMemoryItems"),
      ...newestFirst("ListWebhookDeliveries"),
      ...newestFirst("ListRuns"),
      ...newestFirst("ListJobs"),
      "ListSecrets-by-name": ["turns pages by name", byName],
      "ListSessions-by-creation-in-milliseconds": ["turns pages by the millisecond of creation", byCreation],
      "ListSessions-loses-one-after-the-largest-page": [
        "leaves an item out after a page of as many as there are at most",
        skippingAfterFull,
      ],
      "ListMemoryItems-by-offset": ["turns pages by an offset", byOffset(false)],
    },
  }),
];
