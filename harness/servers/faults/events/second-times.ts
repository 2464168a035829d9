import type { JsonObject, Message } from "@bufbuild/protobuf";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { Context, World } from "../../reference/core/context.ts";
import { forRpc } from "../../reference/core/decoration.ts";
import { editAt } from "../edit.ts";
import type { EitherDecoration, Fault } from "../fault.ts";
import { isIn } from "../lifecycle/states.ts";
import { idIn, wrapping } from "../steps.ts";
import { faultsOf } from "../table.ts";
import { without } from "../values.ts";
import { deliveryId, replacingParts } from "./endpoints.ts";

/** The call of a redelivery, with the record that is sent again. */
type Redelivering = Context & { readonly subject: Message };

/** Counts how often each delivery was sent again, by ids as keys, and does something from the n-th time on. */
function fromTime(least: number, then: (context: Context, id: string) => void = () => {}) {
  const times = new Map<string, number>();
  const counting = wrapping((next) => async (context, request) => {
    const reply = await next(context, request);
    const id = idIn((context as Redelivering).subject, deliveryId[context.row.package]);
    times.set(id, (times.get(id) ?? 0) + 1);
    if ((times.get(id) ?? 0) >= least) then(context, id);
    return reply;
  });
  const isSo = (record: JsonObject, row: RpcRow) =>
    (times.get((record[deliveryId[row.package]] as { value?: string } | undefined)?.value ?? "") ?? 0) >= least;
  return { counting, isSo };
}

/** Changes the records that a listing shows of deliveries that were sent again at least so often. */
const listedFrom =
  (least: number, edit: (record: JsonObject) => JsonObject) =>
  (row: RpcRow): EitherDecoration => {
    const { counting, isSo } = fromTime(least);
    const list = row.package === "alpha.v1" ? "deliveries" : "webhookDeliveries";
    return {
      ...counting(row),
      reply: forRpc(`${row.package}.WebhookService/ListWebhookDeliveries`, (json: JsonObject) =>
        editAt(json, `${list}[]`, (one) => (isSo(one as JsonObject, row) ? edit(one as JsonObject) : one)),
      ),
    };
  };

/** A delivery that is sent again for the n-th time is recorded as pending, and given up. */
const notSentFrom =
  (least: number) =>
  (row: RpcRow): EitherDecoration =>
    fromTime(least, ({ world }, id) => {
      const { deliveries } = world as World & { deliveries: { cancel(which: (one: string) => boolean): void } };
      deliveries.cancel((one) => one === id);
    }).counting(row);

const asPending = (record: JsonObject) => ({ ...record, state: "WEBHOOK_DELIVERY_STATE_PENDING" });

const otherEvent = (record: JsonObject) => {
  const { value = "" } = (record.eventId ?? {}) as { value?: string };
  return { ...record, eventId: { value: value.replace(/.$/, (last) => (last === "0" ? "1" : "0")) } };
};

const again = () =>
  ({
    "*.webhooks.redelivered": {
      "RedeliverWebhookDelivery-second-not-sent": [
        "a delivery that is sent again once more is recorded and not sent",
        notSentFrom(2),
      ],
    },
    "*.webhooks.records": {
      "RedeliverWebhookDelivery-second-stays-pending": [
        "a delivery that is sent again once more stays pending though it arrived",
        listedFrom(2, asPending),
      ],
      "RedeliverWebhookDelivery-undated": [
        "a delivery that is sent again does not say any more when it was delivered",
        listedFrom(1, (record) => (isIn("DELIVERED")(record) ? without(record, "deliveredAt") : record)),
      ],
      "RedeliverWebhookDelivery-second-of-another-event": [
        "a delivery that is sent again once more is listed as of another event",
        listedFrom(2, otherEvent),
      ],
    },
  }) as const;

/** Takes one answer of a failure for a success. */
const taken = (answer: number) =>
  replacingParts(({ postDelivery }) => ({
    async postDelivery(post, timeoutMs, signal) {
      const status = await postDelivery(post, timeoutMs, signal);
      return status === answer ? 200 : status;
    },
  }));

const answers = {
  "*.webhooks.records": {
    "ListWebhookDeliveries-unavailable-is-delivered": ["takes 503 for a success", taken(503)],
  },
} as const;

/** What goes wrong at the second time alone. */
export const secondTimeFaults: readonly Fault[] = [
  ...faultsOf("events", "alpha.v1", again()),
  ...faultsOf("events", "beta.v1", again()),
  ...faultsOf("events", "alpha.v1", answers),
  ...faultsOf("events", "beta.v1", answers),
];
