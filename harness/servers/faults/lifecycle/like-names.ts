import type { Message } from "@bufbuild/protobuf";
import type { Context } from "../../reference/core/context.ts";
import { tenantKey } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";
import type { Fault } from "../fault.ts";
import { namedId, wrapping } from "../steps.ts";
import { faultsOf } from "../table.ts";

const nameOf = (record: Message) => String(readField(record, "name"));

/** Does something to the others whose names are alike, once the call is served. */
const alsoTo = (isAlike: (own: string, other: string) => boolean, act: (context: Context, id: string) => void) =>
  wrapping((next) => async (context, request) => {
    const { row, world, tenant } = context;
    const id = namedId(context);
    const all = [...(world.tables[row.subject]?.entries(tenantKey(tenant)) ?? [])].filter(({ deleted }) => !deleted);
    const idOf = (record: Message) =>
      (readField(record, row.package === "alpha.v1" ? "id" : "secretId") as { value: string }).value;
    const own = all.find(({ record }) => idOf(record) === id)?.record;
    const reply = await next(context, request);
    for (const { record } of all) {
      if (own !== undefined && idOf(record) !== id && isAlike(nameOf(own), nameOf(record))) act(context, idOf(record));
    }
    return reply;
  });

const removing = ({ row, world }: Context, id: string) => void world.tables[row.subject]?.remove(id);
const changing = ({ row, world }: Context, id: string) => void world.tables[row.subject]?.change(id, {});

const byBeginning = (own: string, other: string) => other.startsWith(own);
const byEnd = (own: string, other: string) => other.endsWith(own);
const byName = (own: string, other: string) => own === other;
const byLetters = (own: string, other: string) => own.toLowerCase() === other.toLowerCase();

const breaks = "*.records.agree";

/** Secrets that are found by their names, and with them those whose names are alike. */
export const likeNameFaults: readonly Fault[] = [
  ...faultsOf("lifecycle", "alpha.v1", {
    [breaks]: {
      "DeleteSecret-takes-those-that-begin-alike": [
        "deletes secrets whose names begin with that of the deleted one, too",
        alsoTo(byBeginning, removing),
      ],
      "RotateSecret-moves-those-of-its-name": ["rotates all secrets of one name", alsoTo(byName, changing)],
    },
  }),
  ...faultsOf("lifecycle", "beta.v1", {
    [breaks]: {
      "DeleteSecret-takes-those-that-end-alike": [
        "deletes secrets whose names end with that of the deleted one, too",
        alsoTo(byEnd, removing),
      ],
      "RotateSecret-moves-those-of-its-letters": [
        "rotates all secrets whose names differ in letter case alone",
        alsoTo(byLetters, changing),
      ],
    },
  }),
];
