import type { Message } from "@bufbuild/protobuf";
import { readField } from "../../reference/core/fields.ts";
import type { Fault } from "../fault.ts";
import { wrapping } from "../steps.ts";
import { faultsOf } from "../table.ts";

/** Lists each record for ever as it was when it was listed first; by the text of the field that names it. */
const asListedFirst = (id: string) => {
  const rows = new WeakMap<object, Map<string, Message>>();
  return wrapping((next) => async (context, request) => {
    const reply = (await next(context, request)) as Message;
    const first = rows.get(context.world) ?? new Map<string, Message>();
    rows.set(context.world, first);
    const field = context.row.list?.field.localName ?? "";
    const listed = (readField(reply, field) as Message[]).map((record) => {
      const name = String((readField(record, id) as { value?: string } | undefined)?.value);
      const row = first.get(name) ?? structuredClone(record);
      first.set(name, row);
      return row;
    });
    return { ...reply, [field]: listed } as never;
  });
};

const saysOfChanges = "lists what was changed for ever as it was when it was listed first";

const says = "lists what goes on for ever as it was when it was listed first";

/** Listings from a cache of rows that nothing clears. */
export const cachedRowFaults: readonly Fault[] = [
  ...faultsOf("lifecycle", "alpha.v1", {
    // Jobs are found by the state they are in, and shown in the one they were in.
    "*.versioning.carried": {
      "ListSecrets-as-listed-first": [saysOfChanges, asListedFirst("id"), { entails: ["*.records.agree"] }],
      "ListWebhookEndpoints-as-listed-first": [saysOfChanges, asListedFirst("id"), { entails: ["*.records.agree"] }],
    },
    "*.filters.hold": { "ListJobs-as-listed-first": [says, asListedFirst("id")] },
  }),
  ...faultsOf("lifecycle", "beta.v1", {
    "*.versioning.carried": {
      "ListSecrets-as-listed-first": [saysOfChanges, asListedFirst("secretId"), { entails: ["*.records.agree"] }],
    },
    "*.records.agree": {
      "ListRuns-as-listed-first": [says, asListedFirst("runId")],
      "ListJobs-as-listed-first": [says, asListedFirst("jobId")],
    },
  }),
];
