import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../../harness/case/case.ts";
import { sameValue } from "../../../harness/oracles/agreement.ts";
import { recordIn, versionOf } from "../../../harness/setup/subject.ts";
import { showJson } from "../../../harness/wire/json.ts";
import { Change, type RpcRow } from "../../../proto/rpcs.ts";

/** True where a secret's record shows the number of its active value. */
const counts = (row: RpcRow) => row.record?.field.message?.fields.some((field) => field.jsonName === "activeVersion");

export const rotation = defineRule({
  id: "lifecycle/secret-rotation-keeps-name-and-creation-time",
  says: "a rotation gives a secret a later active version, or another version where it shows none, and keeps its name and creation time; so does one to the value that it has, where it is served",
  clauses: ["*.records.echo", "*.secrets.active-version", "*.versioning.advances", "*.open.field-constraints"],
  rows: (row) => row.subject === "secret" && row.change === Change.ROTATES,
  async run(context) {
    const { row, setup, call, judge, needs, observe } = context;
    const value = row.writeOnly[0]?.name ?? "";
    let secret = await setup.fresh("secret");
    const made = secret.record;
    let stored: JsonObject = {};
    // The last one to the value that is stored: whoever sees that nothing moves then has guessed it.
    for (const isRepeated of [false, false, true]) {
      const request = { ...(await setup.request(row, secret)), ...(isRepeated ? stored : {}) };
      stored = { [value]: request[value] ?? null };
      const rotated = await call(row, request);
      if (isRepeated)
        observe("*.open.field-constraints", `a rotation to the value that is stored is ${rotated.outcome}`);
      if (isRepeated && rotated.outcome === "refused") return;
      needs(rotated);
      judge(rotated, "*.versioning.advances").satisfies(
        versionOf(recordIn(rotated)) !== secret.version,
        `another version than ${secret.version}`,
        versionOf(recordIn(rotated)),
        "secret.resourceVersion",
      );
      const read = await setup.read(secret);
      needs(read);
      for (const reply of [rotated, read]) {
        const record = recordIn(reply);
        for (const field of ["name", "createdAt"]) {
          judge(reply).satisfies(
            sameValue(record[field], made[field]),
            `${showJson(made[field])}, as when it was created`,
            showJson(record[field]),
            `secret.${field}`,
          );
        }
        if (counts(row)) {
          const [before, now] = [Number(secret.record.activeVersion ?? 0), Number(record.activeVersion ?? 0)];
          judge(reply, "*.secrets.active-version").satisfies(
            now > before,
            `an active version after ${before}`,
            showJson(record.activeVersion),
            "secret.activeVersion",
          );
        }
      }
      const again = await setup.read(secret);
      needs(again);
      if (counts(row)) {
        judge(again, "*.secrets.active-version", [rotated]).satisfies(
          sameValue(recordIn(again).activeVersion, recordIn(read).activeVersion),
          `${showJson(recordIn(read).activeVersion)}, as before: a read rotates nothing`,
          showJson(recordIn(again).activeVersion),
          "secret.activeVersion",
        );
      }
      secret = (await setup.current(secret)) ?? secret;
    }
  },
});
