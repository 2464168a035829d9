import { create, type Message } from "@bufbuild/protobuf";
import { rpcs } from "../../../../proto/rpcs.ts";
import { readField } from "../../reference/core/fields.ts";
import type { Fault } from "../fault.ts";
import { ofSecondTenant } from "../second-tenant.ts";
import { wrapping } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** What another tenant than the first is shown: nothing, though it was served. */
export const emptyForTheSecond: readonly Fault[] = faultsAt(
  // Nobody has a login request of a second tenant to complete.
  rpcs.filter((row) => row.record !== undefined && !row.stream && row.subject !== "oauth_login_request"),
  {
    id: "lifecycle/shows-the-second-tenant-nothing",
    says: "answers one of two tenants with an empty message",
    breaks: "*.endpoints.served",
    decorate: wrapping((next) => async (context, request) => {
      const reply = await next(context, request);
      return ofSecondTenant(context) ? create(context.row.output) : reply;
    }),
  },
);

/** Approvals and deliveries come about by themselves: nobody is shown that there is one that a listing lacks. */
const comeAbout = ["approval", "webhook_delivery"];

export const shortForTheSecond: readonly Fault[] = faultsAt(
  rpcs.filter((row) => row.list !== undefined && !row.published && !comeAbout.includes(row.subject)),
  {
    id: "paging/drops-the-last-for-the-second-tenant",
    says: "leaves the last item of every page out for one of two tenants",
    breaks: "*.paging.traversal",
    decorate: wrapping((next) => async (context, request) => {
      const reply = await next(context, request);
      const name = context.row.list?.field.localName ?? "";
      const items = readField(reply as Message, name);
      return ofSecondTenant(context) && Array.isArray(items)
        ? Object.assign(reply, { [name]: items.slice(0, -1) })
        : reply;
    }),
  },
);
