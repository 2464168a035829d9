import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase, defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { differences } from "../../harness/oracles/agreement.ts";
import { settingsOf } from "../../harness/setup/beta/memory-settings.ts";
import { callToCreate } from "../../harness/setup/create.ts";
import { likeDocument } from "../../harness/setup/like-document.ts";
import { recordIn } from "../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { sameJson, showJson, textAt } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { messageOfKind } from "../../proto/resources.ts";
import { Effect, rpc } from "../../proto/rpcs.ts";

const grantRow = rpc("beta.v1.CustomerUserService/CreateCustomerUserGrant");
const grantReadRow = rpc("beta.v1.CustomerUserService/GetCustomerUserGrant");
const readRow = rpc("beta.v1.MemoryService/GetMemorySettings");

/** The memory settings of a user of the other tenant, as its own key reads them. */
async function settingsElsewhere({ call, setup }: CaseContext, user: Subject): Promise<Reply> {
  const { key, tenant } = await setup.otherTenant(readRow);
  const request = { requestId: setup.requestId(), ...tenant, customerUserId: user.id };
  return call(readRow, request, { as: key });
}

export const settingsOfApps = defineCase({
  id: "isolation/memory-settings-of-another-app-stay-as-they-are",
  says: "memory settings are changed for the user of one app, and not for who is called the same in another app",
  clauses: ["beta.isolation.mutate", "beta.records.echo"],
  rpc: "beta.v1.MemoryService/UpdateMemorySettings",
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const namesake = await setup.ofOtherTenant("customer_user");
    const before = await settingsElsewhere(context, namesake);
    needs(before);
    const { enabled } = recordIn(before);
    const externalUserId = namesake.record.externalUserId ?? null;
    const granted = await callToCreate(context, grantRow, { externalUserId });
    // Of what an external id is unique is not shown.
    if (granted.outcome === "refused") throw new ChosenOtherwise("an external user has a grant in one app only");
    needs(granted);
    const user = setup.subjectIn(granted);
    const settings = await settingsOf(context, user);
    const update = await call(row, await setup.request(row, settings, { enabled: enabled !== true }));
    needs(update);
    const [own, theirs] = [await settingsOf(context, user), await settingsElsewhere(context, namesake)];
    needs(theirs);
    judge(update).satisfies(
      sameJson(recordIn(theirs).enabled, enabled),
      `enabled ${showJson(enabled)} in the other app, as before`,
      showJson(recordIn(theirs).enabled),
      "settings.enabled",
    );
    // The positive control: the user's own settings are what was set.
    judge(update, "beta.records.echo").satisfies(
      (own.record.enabled === true) !== (enabled === true),
      `enabled ${enabled !== true} read back`,
      showJson(own.record.enabled),
      "settings.enabled",
    );
  },
});

export const grantsOfApps = defineRule({
  id: "isolation/grant-of-another-app-stays-as-it-is",
  says: "a change of a grant leaves alone the grant of who is called the same in another app",
  clauses: ["beta.isolation.mutate"],
  rows: (row) => row.subject === "customer_user" && (row.effect === Effect.UPDATE || row.effect === Effect.DELETE),
  async run(context) {
    const { row, setup, call, judge, needs, random } = context;
    const there = setup.elsewhere();
    const namesake = await there.setup.fresh("customer_user");
    const granted = await callToCreate(context, grantRow, { externalUserId: namesake.record.externalUserId ?? null });
    // Of what an external id is unique is not shown.
    if (granted.outcome === "refused") throw new ChosenOtherwise("an external user has a grant in one app only");
    needs(granted);
    const before = await there.setup.current(namesake);
    if (before === undefined) throw new Unproven("needs a grant in another app");
    const made = setup.subjectIn(granted);
    const ready = row.effect === Effect.DELETE ? await setup.deletable(made) : made;
    const request = await setup.request(row, ready);
    const attributesJson = likeDocument(made.record.attributesJson, "changed", random.token(8));
    const changed = await call(row, "attributesJson" in request ? { ...request, attributesJson } : request);
    needs(changed);
    const after = await there.setup.current(namesake);
    const message = messageOfKind(row.subject, row.package);
    const changes = after === undefined ? [] : differences(message, before.record, after.record);
    const shown = (record: JsonObject) =>
      showJson(Object.fromEntries(changes.map((name) => [name, record[name] ?? null])));
    judge(changed).satisfies(
      after !== undefined && changes.length === 0,
      `the grant of the other app at version ${before.version}, as before, ${shown(before.record)}`,
      after === undefined ? "it is gone" : `it is at version ${after.version}, ${shown(after.record)}`,
    );
  },
});

export const letterCase = defineCase({
  id: "isolation/external-users-are-told-apart-by-letter-case",
  says: "two external users whose ids differ in letter case alone are two customer users, each read by its own id",
  clauses: ["beta.isolation.named-user"],
  rpc: "beta.v1.CustomerUserService/CreateCustomerUserGrant",
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const first = await setup.fresh("customer_user");
    const external = textAt(first.record, "externalUserId");
    const other = external === external.toUpperCase() ? external.toLowerCase() : external.toUpperCase();
    if (other === external) throw new ChosenOtherwise("external ids have no letters");
    const granted = await callToCreate(context, row, { externalUserId: other });
    // Which ids are taken, and whether two that are so alike may stand side by side, is not shown.
    if (granted.outcome === "refused") throw new ChosenOtherwise("a second id that differs in letter case is refused");
    needs(granted);
    const second = setup.subjectIn(granted);
    const expected = `another customer user than ${showJson(first.id)}`;
    if (!judge(granted).satisfies(!sameJson(second.id, first.id), expected, showJson(second.id))) return;
    for (const [externalUserId, id] of [
      [external, first.id],
      [other, second.id],
    ] as const) {
      const read = await call(grantReadRow, { ...setup.tenant(), requestId: setup.requestId(), externalUserId });
      needs(read);
      const shown = recordIn(read).customerUserId ?? null;
      judge(read).satisfies(sameJson(shown, id), showJson(id), showJson(shown), "customerUserGrant.customerUserId");
    }
  },
});
