import { defineRule } from "../../harness/case/case.ts";
import { nameFor } from "../../harness/setup/secret-name.ts";
import { nameFieldOf } from "../../proto/resources.ts";
import type { RpcRow } from "../../proto/rpcs.ts";
import { callCurrent, callWith } from "../common/current-call.ts";
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

/** Characters of names that a server may take for too long, and say so. */
const nameLengths = [600, 5000, 70_000] as const;

export const longNames = defineRule({
  id: "secrecy/refused-names-quote-no-secret",
  says: "what answers a secret with a name of thousands of characters, be it taken or refused, holds nothing of the secret",
  clauses: ["*.secrets.write-only"],
  rows: (row: RpcRow) => row.writeOnly.length > 0 && nameFieldOf(row) !== undefined,
  async run(context) {
    const { row, setup, random, needs } = context;
    // The positive control: a secret with a usual name is taken.
    needs(await callCurrent(context, undefined));
    for (const length of nameLengths) {
      // Parts of a secret are looked for, too: one of more than a few bytes has some.
      const value = Buffer.from(random.token(48)).toString("base64");
      const values = Object.fromEntries(row.writeOnly.map(({ name }) => [name, value]));
      const name = { [nameFieldOf(row) ?? ""]: (await nameFor(context, row)).padEnd(length, "X") };
      // How long a name may be is open, and so is how one that is too long is refused.
      const reply = await callWith(context, undefined, async () => ({
        request: { ...(await setup.request(row, undefined)), ...values, ...name },
        options: { exempt: ["secrecy/no-reply-contains-a-secret"] },
      }));
      judgeHidden(context, reply);
      context.observe("*.open.limits", `a name of ${length} characters is ${reply.outcome}`);
    }
  },
});
