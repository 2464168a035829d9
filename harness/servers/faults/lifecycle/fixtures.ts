import { refuse } from "../../reference/core/refusal.ts";
import { type Fault, rowsOf } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";

const fixtures = rowsOf("alpha.v1").filter((row) => row.fixture);

export const servedInProduction: readonly Fault[] = faultsAt(fixtures, {
  id: "lifecycle/in-production",
  says: "is served by the production base URL too",
  breaks: "*.fixtures.test-url-only",
  decorate: ({ name }) => ({
    parts: () => ({ servesInProduction: (served) => !served.fixture || served.name === name }),
  }),
});

/** Each fixture refuses one kind of inputs, by turns. */
export const inputsRefused: readonly Fault[] = (["inputArtifactIds", "secretIds"] as const).flatMap((field, turn) =>
  faultsAt(
    fixtures.filter((_, index) => index % 2 === turn),
    {
      id: `lifecycle/refuses-${field}`,
      says: `refuses any ${field}`,
      breaks: "*.fixtures.inputs",
      decorate: replacing(({ validate }) => ({
        validate(context) {
          validate(context);
          const ids = context.call.request[field];
          if (Array.isArray(ids) && ids.length > 0) refuse("FAILED_PRECONDITION", "takes no inputs");
        },
      })),
    },
  ),
);
