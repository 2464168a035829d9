import type { DescEnum, DescField, DescMessage, ScalarType } from "@bufbuild/protobuf";
import { type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import type { Site } from "./operator.ts";

/** A field of an RPC's replies or stream messages, or the elements of one that is a list. */
export interface FieldSite extends Site {
  readonly at: string;
  readonly field: DescField;
  /** The elements of the list rather than the list. */
  readonly element: boolean;
  /** The messages around the field, the reply first and the field's own last. */
  readonly within: readonly DescMessage[];
  /** Its JSON type, of an element that of the element: one of these is there, none for a list or a map. */
  readonly scalar?: ScalarType;
  readonly message?: DescMessage;
  readonly enum?: DescEnum;
}

const plain = new Set(["alpha.v1.UUIDv7", "beta.v1.UUIDv7", "google.protobuf.Timestamp", "google.protobuf.Duration"]);

/** True for a message that stands for one value: a UUID, a time, a duration. */
export function isPlain(message: DescMessage): boolean {
  return plain.has(message.typeName);
}

function typeOf(field: DescField): Pick<FieldSite, "scalar" | "message" | "enum"> {
  if (field.fieldKind === "map") return {};
  const { scalar, message, enum: values } = field;
  return {
    ...(scalar !== undefined && { scalar }),
    ...(message !== undefined && { message }),
    ...(values !== undefined && { enum: values }),
  };
}

function walk(row: RpcRow, message: DescMessage, path: string, above: readonly DescMessage[]): FieldSite[] {
  const within = [...above, message];
  return message.fields.flatMap((field): FieldSite[] => {
    const at = path === "" ? field.jsonName : `${path}.${field.jsonName}`;
    const place = { row, field, within };
    const sites: FieldSite[] =
      field.fieldKind === "list"
        ? [
            { ...place, at, element: false },
            { ...place, at: `${at}[]`, element: true, ...typeOf(field) },
          ]
        : [{ ...place, at, element: false, ...typeOf(field) }];
    const inner = typeOf(field).message;
    if (inner === undefined || isPlain(inner) || within.includes(inner)) return sites;
    return [...sites, ...walk(row, inner, sites.at(-1)?.at ?? at, within)];
  });
}

let walked: readonly FieldSite[] | undefined;

/** Every field of every RPC's replies and stream messages, nested ones and elements of lists too, in the contract's order. */
export function replyFields(): readonly FieldSite[] {
  walked ??= rpcs.flatMap((row) => walk(row, row.output, "", []));
  return walked;
}

/** The path of what the field is a member of; empty for the reply itself. */
export function parentOf({ at }: FieldSite): string {
  return at.slice(0, Math.max(0, at.lastIndexOf(".")));
}
