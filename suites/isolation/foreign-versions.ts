import { defineRule } from "../../harness/case/case.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { ChosenOtherwise, needed } from "../../harness/target/target.ts";
import { Effect } from "../../proto/rpcs.ts";
import { judgeRefusals } from "../common/refusals.ts";

export const foreignVersions = defineRule({
  id: "isolation/versions-of-another-app-are-refused",
  says: "a version of another tenant's app starts nothing: a run or session is of a version of the app it names",
  clauses: ["*.isolation.reference"],
  rows: ({ effect, ids }) => effect === Effect.CREATE && ids.some(({ facts }) => facts.names === "app_version"),
  async run(context) {
    const { row, setup, target } = context;
    const { appVersionId: value, appId } = needed(
      target.beta.secondTenant,
      "beta.secondTenant",
      "a tenant to keep apart",
    );
    // What an app is, and how versions come to be, is not shown: where both tenants have this one, it is no foreign one.
    if (target.beta.appVersionIds.includes(value) || appId === target.beta.appId)
      throw new ChosenOtherwise("both tenants have one app, or one version");
    const { name = "" } = row.ids.find(({ facts }) => facts.names === "app_version") ?? {};
    await judgeRefusals(context, () => [
      {
        because: `${name} names a version of another tenant's app`,
        changes: { ...freshRequestId(row, setup), [name]: { value } },
        input: true,
      },
    ]);
  },
});
