import type { JsonObject } from "@bufbuild/protobuf";
import { Effect, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { forRpc } from "../../reference/core/decoration.ts";
import { createChance } from "../chance.ts";
import type { Change } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { later, rename } from "../values.ts";
import { applyOperator, type Site } from "./operator.ts";

interface FieldSite extends Site {
  readonly field: string;
  readonly change: Change;
}

/** Fields nothing but a mutation changes, and what a reading that is sometimes wrong makes of them. */
const changes: readonly (readonly [field: string, change: Change])[] = [
  ["createdAt", later],
  ["expiresAt", later],
  ["displayName", rename],
  ["enabled", (value) => value !== true],
];

function siteOf(row: RpcRow): readonly FieldSite[] {
  const { record } = row;
  const names = new Set(record?.field.message?.fields.map(({ jsonName }) => jsonName));
  const [field, change] = changes.find(([name]) => names.has(name)) ?? [];
  if (record === undefined || field === undefined || change === undefined) return [];
  return [{ row, field, change, at: `${record.name}.${field}` }];
}

/** One reply in ten to a reading shows one field otherwise: a replica that was restored, a cache with a race in it. */
export const sometimesWrong: readonly Fault[] = applyOperator({
  name: "reading-wavers",
  area: "lifecycle",
  says: ({ at }) => `shows another ${at} once in ten times`,
  breaks: "*.records.agree",
  also: ["*.records.times"],
  sites: rpcs.filter(({ effect }) => effect === Effect.READ).flatMap(siteOf),
  plant: ({ row, field, change }) => {
    const chance = createChance(0.1);
    const name = row.record?.name ?? "";
    return {
      reply: forRpc(row.name, (json: JsonObject) => {
        const record = (json[name] ?? {}) as JsonObject;
        const changed = change(record[field] ?? false);
        return changed === undefined || !chance() ? json : { ...json, [name]: { ...record, [field]: changed } };
      }),
    };
  },
});
