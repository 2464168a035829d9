import type { Breach } from "../../harness/case/breach.ts";
import { defineInvariant } from "../../harness/case/case.ts";
import { judgeListing } from "../../harness/oracles/listing.ts";
import { judgePastTimes } from "../../harness/oracles/past-times.ts";
import { judgeEcho, judgeFilled, judgeIdentity, judgeTimes } from "../../harness/oracles/record-rules.ts";
import { recordsIn } from "../../harness/oracles/records.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { Effect } from "../../proto/rpcs.ts";

const served = (judge: (reply: Reply) => Breach[]) => (reply: Reply) =>
  reply.outcome === "served" ? judge(reply) : undefined;

/** Judged of every record in every reply, whichever case made the call. */
export const identity = defineInvariant({
  id: "wire/records-match-the-requested-resource",
  says: "a record in a reply belongs to the resource and the tenant that the request named",
  clauses: ["*.records.identity"],
  rows: (row) => row.record !== undefined || row.list !== undefined,
  judge: (reply) => (recordsIn(reply).length === 0 ? undefined : judgeIdentity(reply)),
});

export const echo = defineInvariant({
  id: "wire/records-show-what-was-stored",
  says: "the record that a call creates or changes shows the values that the request stored in it",
  clauses: ["*.records.echo"],
  rows: (row) => row.record !== undefined && (row.effect === Effect.CREATE || row.effect === Effect.UPDATE),
  judge: (reply) => (recordsIn(reply).length === 0 ? undefined : judgeEcho(reply)),
});

export const filled = defineInvariant({
  id: "wire/records-have-their-expected-fields",
  says: "a stored record has the fields that every such record has, and its times are consistent",
  clauses: ["*.records.filled", "*.enums.specified", "*.records.times"],
  rows: (row) => row.record !== undefined || row.list !== undefined,
  judge: (reply) =>
    recordsIn(reply).length === 0 ? undefined : [...judgeFilled(reply), ...judgeTimes(reply), ...judgePastTimes(reply)],
});

export const listing = defineInvariant({
  id: "paging/listings-respect-filters-and-page-size",
  says: "every item of a listing matches its filters, and a page is no longer than requested",
  clauses: ["*.filters.hold", "*.paging.size"],
  rows: (row) => row.list !== undefined,
  judge: served(judgeListing),
});
