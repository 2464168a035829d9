import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { numericVersion } from "../../../harness/setup/integer.ts";
import { findRecord } from "../../../harness/setup/listing.ts";
import { recordIn, versionOf } from "../../../harness/setup/subject.ts";
import { NotExercised } from "../../../harness/target/target.ts";
import { sameJson, showJson } from "../../../harness/wire/json.ts";
import type { Credential } from "../../../harness/wire/request.ts";
import { rpc } from "../../../proto/rpcs.ts";
import { itemsOf, readSettings } from "./reads.ts";

const listRow = rpc("beta.v1.MemoryService/ListMemoryItems");

/** A call that must be refused: why, the clause it would break, and how it differs from the valid one. */
interface RefusedWipe {
  readonly because: string;
  readonly clause: string;
  readonly as?: () => Promise<Credential | null>;
  readonly versionStep?: bigint;
}

/** The refused calls; those that the target file has no credential for are left out when they are made. */
function refusedWipes({ row, setup }: CaseContext): readonly RefusedWipe[] {
  return [
    { because: "its settings version is not current", clause: "beta.versioning.expected", versionStep: 7n },
    { because: "it carries no credential", clause: "beta.auth.required", as: async () => null },
    {
      because: `its key lacks ${row.scope}`,
      clause: "beta.auth.scope",
      as: () => setup.keyWithoutScope(row),
    },
    {
      because: "its token is another user's",
      clause: "beta.isolation.user-mutate",
      as: async () => (await setup.otherUser()).token(row),
    },
  ];
}

export const refusedDeletion = defineCase({
  id: "lifecycle/refused-delete-all-memory-keeps-items-and-settings",
  says: "a refused DeleteAllMemory leaves the user's items listed and the memory as enabled as it was",
  clauses: [
    "beta.versioning.expected",
    "beta.auth.required",
    "beta.auth.scope",
    "beta.isolation.user-mutate",
    "beta.records.agree",
  ],
  rpc: "beta.v1.MemoryService/DeleteAllMemory",
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const item = await setup.fresh("memory_item");
    const user = item.within ?? {};
    const before = await readSettings(context, user);
    needs(before);
    const { enabled } = recordIn(before);
    const version = numericVersion({ version: versionOf(recordIn(before)) });
    for (const { because, clause, as, versionStep = 0n } of refusedWipes(context)) {
      let credential: Credential | null | undefined;
      try {
        credential = await as?.();
      } catch (error) {
        if (error instanceof NotExercised) continue;
        throw error;
      }
      const request = { requestId: setup.requestId(), ...setup.tenant(), ...user };
      const expectedSettingsResourceVersion = String(version + versionStep);
      const refused = await call(row, { ...request, expectedSettingsResourceVersion }, { as: credential });
      judge(refused, clause).isRefused({ because });
      if (refused.outcome !== "refused") return;
      const items = await itemsOf(context, user);
      const kept = findRecord(items.records, listRow, item.id) !== undefined;
      if (!judge(refused, clause, items.replies).satisfies(kept, "the user's memory item, as before", "it is gone"))
        return;
    }
    const after = await readSettings(context, user);
    needs(after);
    judge(after, "beta.records.agree", [before]).satisfies(
      sameJson(recordIn(after).enabled, enabled),
      `enabled ${showJson(enabled)}, as before the refused calls`,
      showJson(recordIn(after).enabled),
      "settings.enabled",
    );
    const served = await call(row, {
      requestId: setup.requestId(),
      ...setup.tenant(),
      ...user,
      expectedSettingsResourceVersion: String(version),
    });
    judge(served, "beta.endpoints.served").isServed();
  },
});
