import { defineCase } from "../../../harness/case/case.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { instantOf, showJson } from "../../../harness/wire/json.ts";
import { fromMilliseconds } from "../../../harness/wire/nanoseconds.ts";
import { rpc } from "../../../proto/rpcs.ts";

const grantRow = rpc("beta.v1.CustomerUserService/CreateCustomerUserGrant");

/**
 * Just beyond what signed and unsigned 32-bit seconds and 64-bit nanoseconds reach, the last second of all timestamps, and
 * a last day of a year that lies in the first week of the next: who writes the year of the week writes the next one.
 */
const farEnds = [
  "2039-01-01T00:00:00Z",
  "2107-01-01T00:00:00Z",
  "2263-01-01T00:00:00Z",
  "9999-12-31T23:59:59Z",
  "2029-12-31T12:00:00Z",
];

/** Clocks may differ. */
const leewayMs = 3_600_000;

export const farEnd = defineCase({
  id: "lifecycle/far-end-of-a-grant-lies-ahead",
  says: "a grant that is asked for until a far day is refused, or shows an end that lies ahead and is no later",
  clauses: ["beta.records.echo", "beta.open.field-constraints"],
  rpc: grantRow.name,
  async run({ row, call, setup, judge, observe }) {
    let served = 0;
    for (const expiresAt of farEnds) {
      const request = await setup.request(row, undefined, { expiresAt });
      // How far a grant may reach is not shown: it may be cut off, so that the end is another than was asked for.
      const reply = await call(row, request, { exempt: ["wire/records-show-what-was-stored"] });
      observe("*.open.field-constraints", `a grant until ${expiresAt} is ${reply.outcome}`);
      if (reply.outcome !== "served") continue;
      served += 1;
      const shown = recordIn(reply).expiresAt;
      const end = instantOf(shown);
      const [now, asked] = [fromMilliseconds(Date.now() - leewayMs), instantOf(expiresAt) ?? 0n];
      judge(reply).satisfies(
        end === undefined || (end > now && end <= asked),
        `an end that lies ahead, by ${expiresAt} at the latest`,
        showJson(shown ?? null),
        "customerUserGrant.expiresAt",
      );
    }
    if (served === 0) throw new ChosenOtherwise("no grant is given until a far day");
  },
});
