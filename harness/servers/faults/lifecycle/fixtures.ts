import { rpcs } from "../../../../proto/rpcs.ts";
import { onRpc } from "../../reference/core/decoration.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { changedReply } from "../edit.ts";
import { defineFault, type Fault } from "../fault.ts";

const fixtures = rpcs.filter((row) => row.package === "alpha.v1" && row.fixture);

const atHome = fixtures.map((row) =>
  defineFault({
    id: `lifecycle/${row.method}-in-production`,
    says: `the production base URL serves ${row.method} too`,
    breaks: "alpha.fixtures.test-url-only",
    rpc: row.name,
    decoration: { parts: () => ({ servesInProduction: (served) => !served.fixture || served.name === row.name }) },
  }),
);

const withoutInputs = fixtures.map((row, index) => {
  const field = index % 2 === 0 ? "inputArtifactIds" : "secretIds";
  return defineFault({
    id: `lifecycle/${row.method}-refuses-${field}`,
    says: `${row.method} refuses any ${field}`,
    breaks: "alpha.fixtures.inputs",
    rpc: row.name,
    decoration: {
      parts: ({ validate }) => ({
        validate: onRpc(row.name, validate, (context) => {
          validate(context);
          const ids = context.call.request[field];
          if (Array.isArray(ids) && ids.length > 0) refuse("FAILED_PRECONDITION", "takes no inputs");
        }),
      }),
    },
  });
});

const runSync = "alpha.v1.PublicTestFixtureService/RunSync";

export const fixtureFaults: readonly Fault[] = [
  ...atHome,
  ...withoutInputs,
  defineFault({
    id: "lifecycle/RunSync-without-output",
    says: "RunSync answers without output",
    breaks: "alpha.endpoints.served",
    rpc: runSync,
    decoration: changedReply(runSync, "output", () => undefined),
  }),
];
