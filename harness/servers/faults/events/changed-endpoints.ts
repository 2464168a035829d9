import type { JsonObject, Message } from "@bufbuild/protobuf";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import { forRpc } from "../../reference/core/decoration.ts";
import { readField } from "../../reference/core/fields.ts";
import { editAt } from "../edit.ts";
import type { EitherDecoration, Fault } from "../fault.ts";
import { recordIn, storeShown, wrapping } from "../steps.ts";
import { faultsOf } from "../table.ts";
import { textIn } from "../values.ts";
import { tellingAllEverMade } from "./endpoints.ts";

/** Endpoints that are disabled are told all the same from a version on. */
const toldFrom = (least: bigint) =>
  tellingAllEverMade(
    (now) => now !== undefined && !now.enabled && BigInt(String(readField(now, "resourceVersion"))) >= least,
  );

/** Shows endpoints that are disabled as enabled on every page but the first of a listing. */
const enabledOnLaterPages = (row: RpcRow): EitherDecoration => {
  const later = new WeakSet<object>();
  const list = row.list?.name ?? "";
  return {
    request: forRpc(row.name, (json: JsonObject, call) => {
      if (textIn(json, "page.cursor") !== "") later.add(call);
      return json;
    }),
    reply: forRpc(row.name, (json: JsonObject, call) =>
      later.has(call) ? editAt(json, `${list}[]`, (one) => ({ ...(one as JsonObject), enabled: true })) : json,
    ),
  } as EitherDecoration;
};

const endpoints = {
  "*.webhooks.disabled": {
    "UpdateWebhookEndpoint-told-once-disabled-again": [
      "an endpoint that is disabled once more goes on receiving",
      toldFrom(4n),
    ],
  },
  "*.records.agree": {
    "ListWebhookEndpoints-disabled-shown-enabled-on-later-pages": [
      "shows endpoints that are disabled as enabled from the second page on",
      enabledOnLaterPages,
    ],
  },
} as const;

/** An update leaves the time of the last one where its url stays. */
const undatedAtTheUrl = wrapping((next) => async (context, request) => {
  const before = (context as Context & { readonly subject: Message }).subject;
  const [url, updatedAt] = [readField(before, "url"), readField(before, "updatedAt")];
  const reply = await next(context, request);
  const now = recordIn(context, reply);
  const stays =
    now !== undefined && readField(now, "url") === url && readField(now, "enabled") === readField(before, "enabled");
  return stays ? storeShown(context, reply, { ...now, updatedAt } as Message) : reply;
});

const times = {
  "*.records.update-time": {
    "UpdateWebhookEndpoint-undated-where-its-url-stays": [
      "an update of nothing but the name, or the types of events, leaves the update time",
      undatedAtTheUrl,
    ],
  },
} as const;

/** Endpoints that are changed more than once, or in less than their url, and those on later pages. */
export const changedEndpointFaults: readonly Fault[] = [
  ...faultsOf("events", "alpha.v1", endpoints),
  ...faultsOf("events", "beta.v1", endpoints),
  ...faultsOf("lifecycle", "alpha.v1", times),
  ...faultsOf("lifecycle", "beta.v1", times),
];
