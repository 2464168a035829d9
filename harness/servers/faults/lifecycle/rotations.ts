import { create, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import { readField, readId } from "../../reference/core/fields.ts";
import type { Fault } from "../fault.ts";
import { wrapping } from "../steps.ts";
import { faultsOf } from "../table.ts";

/** Serves a rotation to the value that a secret was given last, and leaves the secret as it is. */
const unmovedBySameValue = (field: string) => {
  const values = new WeakMap<object, Map<string, string>>();
  return wrapping((next) => (context, request) => {
    const { row, world } = context;
    const own = values.get(world) ?? new Map<string, string>();
    values.set(world, own);
    const id =
      readId(
        request,
        row.ids.find(({ facts }) => facts.names === row.subject),
      ) ?? "";
    const value = Buffer.from(readField(request as Message, field) as Uint8Array).toString("base64");
    const isSame = own.get(id) === value;
    own.set(id, value);
    const record = isSame ? world.tables[row.subject]?.find(id)?.record : undefined;
    if (record === undefined) return next(context, request);
    const shown = { [row.record?.field.localName ?? ""]: record } as MessageInitShape<typeof row.output>;
    return create(row.output, shown);
  });
};

const says = "serves a rotation to the value that is stored, and leaves the version as it is";

/** Rotations that rotate nothing. */
export const rotationFaults: readonly Fault[] = [
  ...faultsOf("lifecycle", "alpha.v1", {
    "*.versioning.advances": { "RotateSecret-to-the-same-value": [says, unmovedBySameValue("value")] },
  }),
  ...faultsOf("lifecycle", "beta.v1", {
    "*.secrets.active-version": { "RotateSecret-to-the-same-value": [says, unmovedBySameValue("plaintextValue")] },
  }),
];
