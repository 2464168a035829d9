import { ScalarType } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { anyBytes } from "../../harness/generate/scalars.ts";
import { isDistinctive } from "../../harness/secrets/encodings.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import type { FactField, RpcRow } from "../../proto/rpcs.ts";
import { judgeVersionKept } from "../common/kept-version.ts";
import { judgeNoServerError } from "../common/server-error.ts";

/** The write-only bytes field of an RPC's request. */
function secretBytes(row: RpcRow): FactField | undefined {
  return row.writeOnly.find(({ field }) => field.scalar === ScalarType.BYTES);
}

/** Stores bytes as a secret's value, which is guarded where it occurs in no other content, as every byte in order does; a rotation is of a new secret where none is given. */
async function store(context: CaseContext, bytes: Uint8Array, of?: Subject): Promise<Reply> {
  const { row, setup, call, run } = context;
  if (isDistinctive(bytes)) run.secrets.register(bytes, "a secret's value", "secret value");
  const subject = of ?? (await setup.subjectOf(row));
  const request = await setup.request(row, subject);
  const value = Buffer.from(bytes).toString("base64");
  return call(row, { ...request, [secretBytes(row)?.name ?? ""]: value }, { baseUrl: setup.baseUrl(row, subject) });
}

/** Limits of length are open: bytes may be refused only where letters of the same length are refused too. */
export const anySecret = defineRule({
  id: "input/secrets-accept-any-bytes",
  says: "a secret is the base64 of bytes, which may be any: control characters, invalid UTF-8, every value from 0 to 255",
  clauses: ["*.wire.any-bytes", "*.wire.bytes", "*.open.empty-value", "*.open.field-constraints"],
  rows: (row) => secretBytes(row) !== undefined,
  async run(context) {
    const { judge, property, random, run } = context;
    await property(
      anyBytes.filter((bytes) => bytes.byteLength > 0),
      async (bytes, inner) => {
        const reply = await store(inner, bytes);
        if (reply.outcome === "served") {
          inner.judge(reply).isServed();
          return;
        }
        const letters = await store(inner, Buffer.from(inner.random.token(bytes.byteLength)));
        if (letters.outcome === "served") inner.judge(reply, undefined, [letters]).isServed();
        else inner.observe("*.open.field-constraints", `refuses secret values of ${bytes.byteLength} bytes`);
      },
      Math.ceil(run.propertyRuns / 2),
    );
    // The positive control, of letters alone: a server that refuses everything proves nothing.
    judge(await store(context, Buffer.from(random.token(32))), "*.wire.bytes").isServed();
  },
});

export const emptySecret = defineRule({
  id: "input/empty-secret-causes-no-server-error",
  says: "an empty secret value is accepted, or is refused and moves no version, and causes no server error",
  clauses: ["json.request.no-server-error", "*.versioning.refused-keep", "*.open.empty-value"],
  rows: (row) => secretBytes(row) !== undefined,
  async run(context) {
    const { row, setup, needs, observe, random } = context;
    // The positive control: a server that refuses everything proves nothing.
    needs(await store(context, Buffer.from(random.token(32))));
    const made = await setup.subjectOf(row);
    const before = made && (await setup.current(made));
    const reply = await store(context, new Uint8Array(), before);
    judgeNoServerError(context, [reply], "json.request.no-server-error");
    observe("*.open.empty-value", reply.outcome);
    if (before === undefined || reply.outcome !== "refused") return;
    const now = await setup.current(before);
    if (now !== undefined) await judgeVersionKept(context, before, now, [reply]);
  },
});
