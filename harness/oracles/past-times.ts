import type { JsonValue } from "@bufbuild/protobuf";
import type { Breach } from "../case/breach.ts";
import { sentAt } from "../wire/exchange.ts";
import { instantOf, showJson } from "../wire/json.ts";
import { fromMilliseconds, minute } from "../wire/nanoseconds.ts";
import type { Reply } from "../wire/reply.ts";
import { recordsIn } from "./records.ts";

/** Times of what has happened to a record. That it will be deleted may be said before it is. */
const happened = ["updatedAt", "completedAt", "deliveredAt", "revokedAt"];

/** Further ahead than clocks of one server are, and less than any two time zones are apart. */
const ahead = 10n * minute;

/** How long ago a record was made by which the clock that dates records is compared with the one that dates replies. */
const recent = 15n * minute;

/** Whether two times are of the same ten minutes, as text: to parse every time of a long listing would take long. */
const areNear = (one: JsonValue | undefined, other: JsonValue | undefined) =>
  typeof one === "string" && typeof other === "string" && one.slice(0, 15) === other.slice(0, 15) && /Z$/.test(other);

/**
 * Breaches of `records.times`: something is dated later than the reply that shows it. Judged where the record was made just
 * before by the clock of the reply's Date header: only then it is the same clock, or one that agrees with it.
 */
export function judgePastTimes(reply: Reply): Breach[] {
  const sentMs = sentAt(reply.exchange.response);
  if (sentMs === undefined) return [];
  const sent = fromMilliseconds(sentMs);
  return recordsIn(reply).flatMap(({ record, at }) =>
    happened.flatMap((field): Breach[] => {
      if (record[field] === undefined || areNear(record.createdAt, record[field])) return [];
      const [made, then] = [instantOf(record.createdAt), instantOf(record[field])];
      if (made === undefined || then === undefined || then <= sent + ahead) return [];
      if (made < sent - recent || made > sent + minute) return [];
      const expected = `not after the reply, which is of ${new Date(sentMs).toISOString()}`;
      return [{ clause: "*.records.times", at: `${at}.${field}`, expected, actual: showJson(record[field]) }];
    }),
  );
}
