import { defineCase } from "../../harness/case/case.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { farFrom, numericVersion } from "../../harness/setup/integer.ts";
import { describeReply } from "../../harness/wire/reply.ts";
import { rpc } from "../../proto/rpcs.ts";

const runSync = rpc("alpha.v1.PublicTestFixtureService/RunSync");

export const usableSecrets = defineCase({
  id: "version/secret-is-of-use-after-a-refused-deletion",
  says: "a secret whose deletion was refused for its version is taken by a fixture call as before",
  clauses: ["alpha.versioning.expected"],
  rpc: "alpha.v1.SecretService/DeleteSecret",
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const secret = await setup.fresh("secret");
    const useOf = async ({ id }: Subject) =>
      call(runSync, { ...(await setup.request(runSync, undefined)), secretIds: [id] });
    const use = () => useOf(secret);
    // The positive control: it is taken while nobody wants it deleted.
    needs(await use());
    const current = (await setup.current(secret)) ?? secret;
    const expectedResourceVersion = String(farFrom(numericVersion(current)));
    const refused = await call(row, { ...(await setup.request(row, current)), expectedResourceVersion });
    judge(refused).isRefused({ because: `${expectedResourceVersion} is not the current version ${current.version}` });
    if (refused.outcome === "served") return;
    const again = await use();
    // Where the fixtures are not served for other reasons by now, another secret is refused, too.
    if (again.outcome === "refused") needs(await useOf(await setup.fresh("secret")));
    judge(refused, undefined, [again]).satisfies(
      again.outcome !== "refused",
      "a secret that is of use as before",
      describeReply(again),
    );
  },
});
