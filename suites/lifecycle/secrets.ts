import { defineCase } from "../../harness/case.ts";
import { recordIn } from "../../harness/given/subject.ts";
import { showJson } from "../../harness/json.ts";
import { sameValue } from "../../harness/oracles/agreement.ts";

export const rotation = defineCase({
  id: "lifecycle/rotated-secret-is-the-same-secret",
  says: "a rotation gives a secret another value and leaves its name and the time it was made as they were",
  clauses: ["alpha.records.echo"],
  rpc: "alpha.v1.SecretService/RotateSecret",
  async run(context) {
    const { row, given, call, judge, needs } = context;
    let secret = await given.fresh("secret");
    const made = secret.record;
    for (const _ of [1, 2]) {
      const rotated = await call(row, await given.request(row, secret));
      needs(rotated);
      const read = await given.read(secret);
      needs(read);
      for (const reply of [rotated, read]) {
        const record = recordIn(reply);
        for (const field of ["name", "createdAt"]) {
          judge(reply).satisfies(
            sameValue(record[field], made[field]),
            `${showJson(made[field])}, as when it was made`,
            showJson(record[field]),
            `secret.${field}`,
          );
        }
      }
      secret = (await given.current(secret)) ?? secret;
    }
  },
});
