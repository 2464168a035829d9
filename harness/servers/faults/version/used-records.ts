import type { Message } from "@bufbuild/protobuf";
import { Effect, type RpcRow } from "../../../../proto/rpcs.ts";
import { type Context, tenantKey } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";
import type { Fault } from "../fault.ts";
import { faultsAt } from "../table.ts";
import { conditional } from "./comparisons.ts";
import { unlookedAt } from "./unlooked-at.ts";

const rowsOf = (kind: string) => conditional.filter((row) => row.package === "beta.v1" && row.subject === kind);

/** The id in a field of a record. */
const idIn = (record: Message | undefined, field: string) =>
  record && (readField(record, field) as { readonly value?: string } | undefined)?.value;

/** Whether the tenant of a call has a record of a kind whose field names what the call is about. */
const hasOne =
  (kind: string, field: string) =>
  ({ world, tenant, subject }: Context): boolean => {
    const all = world.tables[kind]?.entries(tenantKey(tenant)) ?? [];
    const own = idIn(subject, field);
    return own !== undefined && all.some(({ record }) => idIn(record, field) === own);
  };

/** Whether what a call is about is the only one of its kind that its user has. */
const isAlone = ({ world, tenant, row }: Context): boolean =>
  (world.tables[row.subject]?.entries(tenantKey(tenant)) ?? []).filter(({ deleted }) => !deleted).length === 1;

/** Versions that are checked until something is done with a record, or it is turned off. */
const used: readonly (readonly [
  id: string,
  says: string,
  rows: readonly RpcRow[],
  when: (context: Context) => boolean,
])[] = [
  [
    "version/unchecked-once-there-are-secrets",
    "checks the version of a customer user who has no secret alone",
    rowsOf("customer_user"),
    hasOne("secret", "customerUserId"),
  ],
  [
    "version/unchecked-once-there-is-memory",
    "checks the version of a customer user who has no memory item alone",
    rowsOf("customer_user"),
    hasOne("memory_item", "customerUserId"),
  ],
  [
    "version/unchecked-once-there-are-sessions",
    "checks the version of a customer user who has no session alone",
    rowsOf("customer_user"),
    hasOne("session", "customerUserId"),
  ],
  [
    "version/unchecked-once-there-was-a-run",
    "checks the version of a session in which there was no run alone",
    rowsOf("session"),
    hasOne("run", "sessionId"),
  ],
  [
    "version/unchecked-once-rotated",
    "checks the version of a secret until it is rotated a second time",
    rowsOf("secret"),
    ({ subject }) => subject !== undefined && Number(readField(subject, "activeVersion")) > 2,
  ],
  [
    "version/unchecked-of-the-last",
    "checks the version of a record that is not the last of its user alone",
    [...rowsOf("secret"), ...rowsOf("session")].filter(({ effect }) => effect === Effect.DELETE),
    isAlone,
  ],
  [
    "version/unchecked-once-there-are-tokens",
    "checks the version of a customer user alone to whom no browser token was issued",
    rowsOf("customer_user"),
    ({ world, subject }) => {
      const own = idIn(subject, "customerUserId");
      return [...world.principals.values()].some((one) => "origins" in one && one.customerUserId === own);
    },
  ],
  [
    "version/unchecked-while-disabled",
    "checks the version of an endpoint that is enabled alone",
    rowsOf("webhook_endpoint"),
    ({ subject }) => subject !== undefined && readField(subject, "enabled") !== true,
  ],
  [
    "version/unchecked-while-memory-is-off",
    "checks the version of settings with memory turned on alone",
    rowsOf("memory_settings"),
    ({ subject }) => subject !== undefined && readField(subject, "enabled") !== true,
  ],
];

export const usedRecords: readonly Fault[] = used.flatMap(([id, says, rows, when]) =>
  faultsAt(rows, { id, says, breaks: "*.versioning.expected", decorate: unlookedAt(when) }),
);
