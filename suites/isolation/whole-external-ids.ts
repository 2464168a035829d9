import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { callToCreate } from "../../harness/setup/create.ts";
import { recordIn } from "../../harness/setup/subject.ts";
import { sameJson, showJson, textAt } from "../../harness/wire/json.ts";
import { rpc } from "../../proto/rpcs.ts";

const grantRow = rpc("beta.v1.CustomerUserService/CreateCustomerUserGrant");

/** How many characters of a long id two may have in common: more than a column of 64 or 100 holds. */
export const longPart = 120;

/** An external id, and others that nobody has, which a sloppy comparison takes for it. */
interface Likeness {
  readonly granted: string;
  readonly asked: readonly string[];
}

function likenesses({ setup }: CaseContext): readonly Likeness[] {
  const plain = setup.name("external");
  const long = `${setup.name("external")}-${"x".repeat(longPart)}`;
  const blank = setup.name("external");
  return [
    // The signs of a pattern of SQL, of a shell, and of a regular expression.
    {
      granted: plain,
      asked: [
        ...[`${plain.slice(0, -1)}_`, `${plain.slice(0, -2)}%`, `${plain.slice(0, -1)}*`],
        ...[`${plain.slice(0, -1)}.`, `${plain.slice(0, -2)}.*`, `^${plain}$`],
      ],
    },
    { granted: `${long}-a`, asked: [`${long}-b`] },
    { granted: `${blank} `, asked: [blank] },
  ];
}

/** Grants an external user; undefined where such an id is refused, or kept in another form: which are taken is not shown. */
export async function grantAs(context: CaseContext, externalUserId: string): Promise<Subject | undefined> {
  const { setup, needs } = context;
  const reply = await callToCreate(context, grantRow, { externalUserId });
  if (reply.outcome === "refused") return undefined;
  needs(reply);
  const user = setup.subjectIn(reply);
  const kept = await setup.current(user);
  return kept !== undefined && textAt(kept.record, "externalUserId") === externalUserId ? user : undefined;
}

export const wholeIds = defineCase({
  id: "isolation/external-users-are-looked-up-by-the-whole-id",
  says: "a pattern, an id of which the beginning alone is the same, and one without the blank at its end find no grant of another external user",
  clauses: ["beta.isolation.named-user"],
  rpc: "beta.v1.CustomerUserService/GetCustomerUserGrant",
  async run(context) {
    const { row, setup, call, judge } = context;
    for (const { granted, asked } of likenesses(context)) {
      const user = await grantAs(context, granted);
      if (user === undefined) continue;
      for (const externalUserId of asked) {
        const reply = await call(row, { ...setup.tenant(), requestId: setup.requestId(), externalUserId });
        const shown = recordIn(reply).customerUserId ?? null;
        judge(reply).satisfies(
          reply.outcome !== "served" || !sameJson(shown, user.id),
          `no grant of ${showJson(granted)} for ${showJson(externalUserId)}`,
          showJson(shown),
          "customerUserGrant.customerUserId",
        );
      }
    }
  },
});
