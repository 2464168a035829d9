import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { changedNothing } from "../../harness/case/expected-words.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { grantEnd } from "../../harness/setup/beta/customer-user.ts";
import { changeOf } from "../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { messageOf } from "../../proto/resources.ts";
import { Change, type RpcRow } from "../../proto/rpcs.ts";
import { judgeVersionKept } from "../common/kept-version.ts";

const document = (text: string) => Buffer.from(text).toString("base64");

/** Values of fields that are most likely refused: which are is not shown. */
const bad = ({ random }: CaseContext): Readonly<Record<string, JsonValue>> => ({
  attributesJson: document("{not a document"),
  allowedToolIds: [{ value: random.uuidv7() }],
  registeredOrigins: ["nope"],
  expiresAt: "2001-02-03T04:05:06Z",
  allowedBrowserTokenScopes: ["nope"],
  url: "nope",
  eventTypes: ["WEBHOOK_EVENT_TYPE_UNSPECIFIED"],
});

/** Values of fields that are taken, other than those of a record. */
function good({ row, setup, target }: CaseContext, record: JsonObject): Readonly<Record<string, JsonValue>> {
  return {
    attributesJson: document('{"plan":"refused"}'),
    ...(row.package === "beta.v1" &&
      target.beta.toolIds.length > 1 && {
        allowedToolIds: target.beta.toolIds.slice(-1).map((value) => ({ value })),
      }),
    registeredOrigins: ["https://refused.hallmark.invalid:8443"],
    expiresAt: grantEnd(7200),
    allowedBrowserTokenScopes: ["sessions:read"],
    name: setup.name("refused"),
    eventTypes: ["WEBHOOK_EVENT_TYPE_RUN_FAILED"],
    enabled: record.enabled !== true,
  };
}

const only = (values: Readonly<Record<string, JsonValue>>, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));

/** What an update sets of a record, as both its request and the record have it; whose record it is, it does not set. */
function fieldsOf(row: RpcRow): readonly string[] {
  const shown = new Set(messageOf(row)?.fields.map(({ jsonName }) => jsonName));
  const single = new Set(row.ids.filter(({ field }) => field.fieldKind !== "list").map(({ name }) => name));
  return row.input.fields.map(({ jsonName }) => jsonName).filter((name) => shown.has(name) && !single.has(name));
}

const setsSeveral = (row: RpcRow) =>
  row.change === Change.SETS && row.expectedVersion !== undefined && fieldsOf(row).length > 1;

/** The subject as it is now. Throws Unproven where it is gone. */
async function needsCurrent({ setup }: CaseContext, subject: Subject): Promise<Subject> {
  const now = await setup.current(subject);
  if (now === undefined) throw new Unproven(`needs a ${subject.kind} that can be read`);
  return now;
}

export const refusedUpdate = defineRule({
  id: "input/update-refused-for-one-field-stores-none-of-the-others",
  says: "an update that is refused for the value of one field leaves the others, whose values are good, as they were",
  clauses: ["*.records.echo", "*.versioning.refused-keep"],
  rows: setsSeveral,
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const subject = await setup.subjectOf(row);
    if (subject === undefined) throw new Error(`${row.name} has no subject`);
    const names = fieldsOf(row);
    const refused: Reply[] = [];
    let before = await needsCurrent(context, subject);
    for (const [name, value] of Object.entries(only(bad(context), names))) {
      const fields = { ...only(good(context, before.record), names), [name]: value };
      const reply = await call(row, { ...(await setup.request(row, before)), ...fields }, { baseUrl: subject.baseUrl });
      if (reply.outcome === "refused") refused.push(reply);
      // Which values are taken is not shown.
      else before = await needsCurrent(context, subject);
    }
    const last = refused.at(-1);
    if (last === undefined) throw new ChosenOtherwise("no value is refused that was tried");
    const now = await needsCurrent(context, subject);
    const changed = changeOf(row.package, before, now.record)?.names.filter((name) => names.includes(name)) ?? [];
    judge(last, undefined, refused.slice(0, -1)).satisfies(
      changed.length === 0,
      changedNothing.asItWas(" before what was refused"),
      `it differs in ${changed.join(", ")}`,
      row.record?.name,
    );
    await judgeVersionKept(context, before, now, refused);
    // The positive control: the other values are good.
    const fields = only(good(context, now.record), names);
    needs(await call(row, { ...(await setup.request(row, now)), ...fields }, { baseUrl: subject.baseUrl }));
  },
});
