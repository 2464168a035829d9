import { defineRule } from "../../harness/case/case.ts";
import type { RpcRow } from "../../proto/rpcs.ts";
import { callCurrent, callWith } from "../common/refusals.ts";
import { judgeHidden } from "./stored-secrets.ts";

/** Bytes of values that a server may take for too long, and say so. */
const lengths = [1500, 9000, 70_000] as const;

export const longValues = defineRule({
  id: "secrecy/long-secrets-are-not-quoted",
  says: "what answers a secret of thousands of bytes, be it taken or refused, holds no part of it",
  clauses: ["*.secrets.write-only"],
  rows: (row: RpcRow) => row.writeOnly.length > 0,
  async run(context) {
    const { row, setup, random, needs } = context;
    const subject = await setup.subjectOf(row);
    // The positive control: a secret of usual length is taken.
    needs(await callCurrent(context, subject));
    for (const length of lengths) {
      const value = Buffer.from(random.token(length)).toString("base64");
      const values = Object.fromEntries(row.writeOnly.map(({ name }) => [name, value]));
      // How long a secret may be is open, and so is how one that is too long is refused.
      const reply = await callWith(context, subject, async (current) => ({
        request: { ...(await setup.request(row, current)), ...values },
        options: { exempt: ["secrecy/no-reply-contains-a-secret"] },
      }));
      judgeHidden(context, reply);
      context.observe("*.open.limits", `a secret of ${length} bytes is ${reply.outcome}`);
    }
  },
});
