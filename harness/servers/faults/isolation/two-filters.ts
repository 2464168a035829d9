import type { Message } from "@bufbuild/protobuf";
import { type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { readField } from "../../reference/core/fields.ts";
import type { Fault } from "../fault.ts";
import { workspacesOf } from "../second-tenant.ts";
import { wrapping } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { recordsOf } from "./listings.ts";

const optional = (row: RpcRow) => row.filters.filter(({ facts }) => facts.names !== "customer_user");

const textOf = (value: unknown) => JSON.stringify(value) ?? "";

/** Whether a call names every filter there is. */
const namesAll = (row: RpcRow, request: Message) =>
  optional(row).every(({ field: { localName } }) => {
    const value = readField(request, localName);
    return value !== undefined && value !== "" && value !== 0;
  });

/** A query of two conditions that leaves out the one it always has. */
export const twoFilters: readonly Fault[] = faultsAt(
  rpcs.filter((row) => row.list !== undefined && optional(row).length >= 2),
  {
    id: "isolation/lists-every-workspace-by-all-filters",
    says: "lists what matches in every workspace where each of its filters is named",
    breaks: "*.isolation.list",
    entails: ["*.records.identity"],
    decorate: wrapping((next) => async (context, request) => {
      const reply = await next(context, request);
      const { row } = context;
      if (!namesAll(row, request as Message)) return reply;
      const matches = (record: Message) =>
        optional(row).every(
          ({ field: { localName } }) =>
            textOf(readField(record, localName)) === textOf(readField(request as Message, localName)),
        );
      const listed = recordsOf(context, workspacesOf(context.world)).filter(matches);
      return Object.assign(reply, { [row.list?.field.localName ?? ""]: listed, page: undefined });
    }),
  },
);
