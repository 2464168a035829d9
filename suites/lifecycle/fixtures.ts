import { defineCase, defineRule } from "../../harness/case.ts";
import { alphaHome } from "../../harness/given/alpha.ts";
import { recordIn } from "../../harness/given/subject.ts";
import { sameJson, showJson } from "../../harness/json.ts";

export const homeOnly = defineRule({
  id: "lifecycle/fixtures-are-on-the-test-url-only",
  says: "a fixture call is served on the test base URL and refused on the production base URL",
  clauses: ["alpha.fixtures.test-url-only", "alpha.stream.refused-no-data"],
  rows: (row) => row.package === "alpha.v1" && row.fixture,
  async run(context) {
    const { row, given, call, judge, target } = context;
    const { baseUrl, testBaseUrl, oneServer } = target.alpha;
    const twin = await call(row, await given.request(row, undefined));
    judge(twin, "*.endpoints.served").isServed();
    if (oneServer || testBaseUrl === undefined || testBaseUrl === baseUrl) return;
    const reply = await call(row, await given.request(row, undefined), { baseUrl, foreign: true });
    judge(reply).isRefused({ because: "fixtures are called on the test base URL, never on this one" });
    if (row.stream) {
      const count = `${reply.messages.length} messages`;
      judge(reply, "*.stream.refused-no-data").satisfies(reply.messages.length === 0, "no data message", count);
    }
  },
});

export const inputs = defineRule({
  id: "lifecycle/fixtures-take-own-inputs",
  says: "a fixture call takes artifacts and secrets of its own workspace as inputs",
  clauses: ["alpha.fixtures.inputs"],
  rows: (row) => row.package === "alpha.v1" && row.fixture,
  async run(context) {
    const { row, given, call, judge } = context;
    const [artifact, secret] = await Promise.all([given.shared("artifact"), given.shared("secret")]);
    const [plain, full] = [await given.request(row, undefined), await given.request(row, undefined)];
    context.needs(await call(row, plain));
    const reply = await call(row, { ...full, inputArtifactIds: [artifact.id], secretIds: [secret.id] });
    judge(reply).isServed();
  },
});

export const echoed = defineCase({
  id: "lifecycle/job-shows-its-inputs",
  says: "a job shows the artifacts it was started with",
  clauses: ["alpha.records.echo"],
  rpc: "alpha.v1.JobService/GetJob",
  async run(context) {
    const { given, judge, needs } = context;
    const artifact = await given.shared("artifact");
    const job = await alphaHome(context).startJob("succeed", { inputArtifactIds: [artifact.id] });
    const read = await given.read(job);
    needs(read);
    const { inputArtifactIds } = recordIn(read);
    judge(read).satisfies(
      sameJson(inputArtifactIds, [artifact.id]),
      `${showJson([artifact.id])}, as it was started with`,
      showJson(inputArtifactIds),
      "job.inputArtifactIds",
    );
  },
});
