import { type Message, toJson } from "@bufbuild/protobuf";
import { storedFields, subjectFieldOf } from "../../../../proto/resources.ts";
import { Change } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import { idText, readField } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { defineVariants, type Variant } from "../variant.ts";

const jsonOf = (desc: Parameters<typeof toJson>[0], message: Message) =>
  toJson(desc, message) as Readonly<Record<string, unknown>>;

/** Whether an update names nothing but what its subject holds already. */
function changesNothing({ row, request, subject }: Context): boolean {
  const message = row.record?.field.message;
  if (subject === undefined || message === undefined || subject.$typeName !== message.typeName) return false;
  const [asked, held] = [jsonOf(row.input, request), jsonOf(message, subject)];
  const names = storedFields(row).map(({ jsonName }) => jsonName);
  return names.every((name) => JSON.stringify(asked[name]) === JSON.stringify(held[name]));
}

/** Notes what a write-only field is rotated to; whether it was rotated to just that before. */
function createRotations() {
  const last = new Map<string, string>();
  return ({ row, request }: Context): boolean => {
    const [writeOnly] = row.writeOnly;
    const named = row.ids.find(({ name }) => name === subjectFieldOf(row));
    if (writeOnly === undefined || named === undefined) return false;
    const id = idText(readField(request, named.field.localName) as { value: string } | undefined);
    const value = Buffer.from(readField(request, writeOnly.field.localName) as Uint8Array).toString("base64");
    const isSame = last.get(id) === value;
    last.set(id, value);
    return isSame;
  };
}

/** Updates that would change nothing: whether they are served is not shown ("per-RPC rules"). */
export const unchangedVariants: readonly Variant[] = (() => {
  const rotatesToTheSame = createRotations();
  return defineVariants({
    id: "unchanged-updates-refused",
    says: "refuses, for the state, an update that asks for what is stored already, and a rotation to the value there is",
    open: ["*.open.transitions"],
    decoration: {
      parts: ({ checkVersion }) => ({
        checkVersion(context) {
          checkVersion(context);
          const { change } = context.row;
          const isIdle =
            (change === Change.SETS && changesNothing(context)) ||
            (change === Change.ROTATES && rotatesToTheSame(context));
          if (isIdle) refuse("FAILED_PRECONDITION", "there is nothing to change");
        },
      }),
    },
  });
})();
