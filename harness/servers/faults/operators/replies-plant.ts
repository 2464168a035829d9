import type { JsonObject } from "@bufbuild/protobuf";
import { type Change, changedReply } from "../edit.ts";
import type { SharedDecoration } from "../fault.ts";
import { type FieldSite, parentOf } from "./replies-walk.ts";

/** Heartbeats come often where they are what is wrong: a watch that ends before the first shows none. */
function pace({ field, within }: FieldSite): SharedDecoration {
  const beats = [field.message, ...within].some((message) => message?.name === "JobHeartbeat");
  return beats ? { choices: { heartbeatMs: 2 } } : {};
}

/** A decoration that changes the values of a field, in the replies of its RPC. */
export function changedField(site: FieldSite, change: Change): SharedDecoration {
  return { ...pace(site), ...changedReply(site.row.name, site.at, change) };
}

/** A decoration that changes the messages a field is a member of, in the replies of its RPC. */
export function changedParent(site: FieldSite, change: (parent: JsonObject) => JsonObject): SharedDecoration {
  const { row } = site;
  const parent = parentOf(site);
  const hooks =
    parent === ""
      ? ({ reply: (json, call) => (call.rpc === row.name ? change(json) : json) } satisfies SharedDecoration)
      : changedReply(row.name, parent, (value) => change(value as JsonObject));
  return { ...pace(site), ...hooks };
}
