import { create, type Message } from "@bufbuild/protobuf";
import { messageOf } from "../../../../proto/resources.ts";
import { factsOf, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { readField } from "../../reference/core/fields.ts";
import type { Fault } from "../fault.ts";
import { namedId, recordIn, replyShowing, storeShown, wrapping } from "../steps.ts";
import { faultsAt, faultsOf } from "../table.ts";

/** Serves a rotation to the value that a secret was given last, and leaves the secret as it is. */
const unmovedBySameValue = (field: string) => {
  const values = new WeakMap<object, Map<string, string>>();
  return wrapping((next) => (context, request) => {
    const { row, world } = context;
    const own = values.get(world) ?? new Map<string, string>();
    values.set(world, own);
    const id = namedId(context) ?? "";
    const value = Buffer.from(readField(request as Message, field) as Uint8Array).toString("base64");
    const isSame = own.get(id) === value;
    own.set(id, value);
    const record = isSame ? world.tables[row.subject]?.find(id)?.record : undefined;
    if (record === undefined) return next(context, request);
    return replyShowing(row, record);
  });
};

/** Leaves the update time of a secret as it is, once it was rotated before. */
const datedOnce = (row: RpcRow) => {
  const rotated = new Set<string>();
  return wrapping((next) => async (context, request) => {
    const { subject } = context;
    const reply = await next(context, request);
    const record = recordIn(context, reply);
    const message = row.record?.field.message;
    if (subject === undefined || record === undefined || message === undefined) return reply;
    const id = JSON.stringify(
      readField(record, messageOf(row)?.fields.find((field) => factsOf(field).ownId)?.localName ?? ""),
    );
    if (rotated.has(id)) {
      const stored = create(message, { ...record, updatedAt: readField(subject, "updatedAt") });
      return storeShown(context, reply, stored);
    }
    rotated.add(id);
    return reply;
  })(row);
};

const says = "serves a rotation to the value that is stored, and leaves the version as it is";

/** Rotations that rotate nothing. */
export const rotationFaults: readonly Fault[] = [
  ...faultsAt(
    rpcs.filter(({ method }) => method === "RotateSecret"),
    {
      id: "lifecycle/dated-once",
      says: "leaves the update time of a secret as it is, once it was rotated before",
      breaks: "*.records.update-time",
      decorate: datedOnce,
    },
  ),
  ...faultsOf("lifecycle", "alpha.v1", {
    "*.versioning.advances": { "RotateSecret-to-the-same-value": [says, unmovedBySameValue("value")] },
  }),
  ...faultsOf("lifecycle", "beta.v1", {
    "*.secrets.active-version": { "RotateSecret-to-the-same-value": [says, unmovedBySameValue("plaintextValue")] },
  }),
];
