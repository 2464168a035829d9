import { defineCase } from "../../../harness/case/case.ts";
import { freshRequestId } from "../../../harness/setup/request-id.ts";
import { needed } from "../../../harness/target/target.ts";
import { sendTogether } from "../../../harness/wire/batch.ts";

/** Sessions of each of two app versions that are asked for at the same time. */
const sessionsEach = 2;

export const atOnce = defineCase({
  id: "lifecycle/sessions-created-at-once-hold-their-app-versions",
  says: "sessions of two app versions that are asked for at the same time hold the version that each was asked for with",
  clauses: ["beta.versioning.app-version"],
  rpc: "beta.v1.SessionService/CreateSession",
  async run(context) {
    const { row, setup, call, judge, needs, target } = context;
    const one = needed(target.beta.appVersionIds[0], "beta.appVersionIds", "a published version");
    const other = target.beta.appVersionIds[1] ?? one;
    const versions = Array.from({ length: sessionsEach }, () => [{ value: one }, { value: other }]).flat();
    const request = await setup.request(row, undefined);
    const made = await sendTogether(versions.length, (batch, index) =>
      call(row, { ...request, ...freshRequestId(row, setup), appVersionId: versions[index] ?? null }, { batch }),
    );
    const [first] = made;
    // How many there may be at a time is not shown.
    if (first !== undefined && made.every(({ outcome }) => outcome === "refused")) needs(first);
    for (const [index, reply] of made.entries()) {
      if (reply.outcome === "refused") continue;
      const read = await setup.read(setup.subjectIn(reply));
      needs(read);
      for (const shown of [reply, read])
        judge(shown, undefined, [reply]).shows("session.appVersionId", versions[index] ?? null);
    }
  },
});
