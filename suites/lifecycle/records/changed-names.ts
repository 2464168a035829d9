import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { sameText } from "../../../harness/oracles/agreement.ts";
import { randomContent } from "../../../harness/setup/alpha/content.ts";
import { artifactIn, declareUpload, uploadedAs } from "../../../harness/setup/alpha/upload.ts";
import { uploadLimits } from "../../../harness/setup/alpha/upload-limits.ts";
import { nameFor } from "../../../harness/setup/secret-name.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { unwatchedHook } from "../../../harness/setup/unwatched-hook.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { showJson } from "../../../harness/wire/json.ts";
import { messageOf, nameFieldOf, siblingsOf } from "../../../proto/resources.ts";
import { Effect, type RpcRow } from "../../../proto/rpcs.ts";
import { callCurrent } from "../../common/current-call.ts";

/** Letters that no eight-bit character set has all of. */
const beyondAscii = " caf\u00e9 \u65e5\u672c\u8a9e";

/** The row that makes what a row changes, and names it. */
function namingRow(row: RpcRow): RpcRow | undefined {
  return siblingsOf(row).find((one) => one.effect === Effect.CREATE && nameFieldOf(one) !== undefined);
}

/** An upload that was declared by such a name, of a type other than setup's where the mini app takes one, and sent. */
async function uploadedBy(context: CaseContext, name: string): Promise<Subject | undefined> {
  const content = randomContent(context);
  const { mimeTypes } = await uploadLimits(context);
  const mimeType = mimeTypes.find((type) => !type.includes("*") && type !== content.declared.mimeType);
  const upload = await uploadedAs(context, async () => {
    for (const fields of [{ name, ...(mimeType !== undefined && { mimeType }) }, { name }]) {
      const reply = await declareUpload(context, content, fields);
      if (reply.outcome === "refused") continue;
      context.needs(reply);
      return { reply, artifact: artifactIn(reply), content };
    }
    return undefined;
  });
  return upload?.artifact;
}

/** A record of such a name; undefined where the target refuses it, as it may. */
async function named(context: CaseContext, naming: RpcRow): Promise<Subject | undefined> {
  const { row, setup, call, needs } = context;
  const name = `${await nameFor(context, naming)}${beyondAscii}`;
  if (row.subject === "artifact") return uploadedBy(context, name);
  const baseUrl = await setup.homeUrl(naming);
  const hook: JsonObject = row.subject === "webhook_endpoint" ? { url: await unwatchedHook(context) } : {};
  const reply = await call(naming, await setup.request(naming, undefined, { name, ...hook }), { baseUrl });
  if (reply.outcome === "refused") return undefined;
  needs(reply);
  return { ...setup.subjectIn(reply), baseUrl };
}

/** Fields of a record that a change which does not set them leaves as they are. */
const kept = ["name", "mimeType"];

export const changedNames = defineRule({
  id: "lifecycle/changes-keep-names-of-any-letters",
  says: "a change of a record shows the name it was made with, letters beyond ASCII too, and the type of its content",
  clauses: ["*.records.agree"],
  rows: (row) =>
    row.effect === Effect.UPDATE &&
    nameFieldOf(row) === undefined &&
    namingRow(row) !== undefined &&
    messageOf(row)?.fields.some(({ jsonName }) => jsonName === "name") === true,
  async run(context) {
    const { row, judge, needs } = context;
    const naming = namingRow(row);
    const made = naming && (await named(context, naming));
    if (made === undefined) throw new ChosenOtherwise("names with letters beyond ASCII are refused");
    const reply = await callCurrent(context, made);
    needs(reply);
    const record = recordIn(reply);
    for (const field of kept.filter((one) => made.record[one] !== undefined)) {
      judge(reply).satisfies(
        sameText(record[field], made.record[field]),
        `${showJson(made.record[field])}, as when it was made`,
        showJson(record[field]),
        `${row.record?.name}.${field}`,
      );
    }
  },
});
