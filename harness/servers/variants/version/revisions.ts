import { setTimeout } from "node:timers/promises";
import type { Message } from "@bufbuild/protobuf";
import { RunService } from "../../../../proto/gen/beta/v1/run_service_pb.js";
import { isTerminal } from "../../reference/beta/life.ts";
import { inBackground } from "../../reference/core/background.ts";
import { idText } from "../../reference/core/fields.ts";
import type { CoreParts } from "../../reference/core/parts.ts";
import type { Table } from "../../reference/core/store.ts";
import { type AlphaDecoration, aroundBeta, type BetaContext, type BetaWorld } from "../../reference/main.ts";
import { defineAlphaVariant, defineBetaVariant, type Variant } from "../variant.ts";

/** How long after its end work is revised, and how long after it was delivered a webhook is sent again, in milliseconds. */
const [revisedMs, againMs] = [120, 400];

/** How often it is looked whether a run has ended, in milliseconds. */
const lookMs = 50;

/** Moves the version of a job once more, so many milliseconds after its end. */
export const revisingJobs = (ms: number): AlphaDecoration => ({
  parts: ({ subscribers }) => ({
    subscribers(world, job) {
      const id = idText(job.id);
      world.clock.after(ms, () => {
        if (world.tables.job.find(id)?.deleted === false) world.tables.job.change(id, {});
      });
      return subscribers(world, job);
    },
  }),
});

/** Moves the version of a run once more, a while after its end. */
function reviseOnceEnded(world: BetaWorld, id: string): void {
  world.clock.after(lookMs, () => {
    const run = world.tables.run.find(id);
    if (run === undefined || run.deleted || world.closing.aborted) return;
    if (!isTerminal(run.record)) return reviseOnceEnded(world, id);
    world.clock.after(revisedMs, () => {
      if (world.tables.run.find(id)?.deleted === false) world.tables.run.change(id, {});
    });
  });
}

/** Sends what was delivered once more after a moment, whatever becomes of that. */
function postedTwice(postDelivery: CoreParts["postDelivery"]): CoreParts["postDelivery"] {
  return async (post, timeoutMs, signal) => {
    const status = await postDelivery(post, timeoutMs, signal);
    if (status >= 200 && status < 300) {
      const again = async () => void (await setTimeout(againMs).then(() => postDelivery(post, timeoutMs, signal)));
      inBackground(again());
    }
    return status;
  };
}

/** Counts, a moment after an attempt is begun, that what it delivered was sent once more. */
function countAgain<T extends Message & { readonly attemptCount: number; readonly deliveredAt?: unknown }>(
  { clock }: { readonly clock: Pick<BetaWorld["clock"], "after"> },
  deliveries: Table<T>,
  id: string,
): void {
  const attempts = (deliveries.find(id)?.record.attemptCount ?? 0) + 1;
  clock.after(againMs, () => {
    const now = deliveries.find(id)?.record;
    if (now?.attemptCount === attempts && now.deliveredAt !== undefined)
      deliveries.change(id, { attemptCount: attempts + 1 } as Partial<T>);
  });
}

/** Records whose versions move though nobody calls anything, once nothing seems to happen any more. */
export const revisionVariants: readonly Variant[] = [
  defineAlphaVariant({
    id: "ended-jobs-are-revised",
    says: "moves the version of a job once more, a moment after its end",
    open: ["alpha.open.version-step", "alpha.open.transitions"],
    decoration: revisingJobs(revisedMs),
  }),
  defineBetaVariant({
    id: "ended-runs-are-revised",
    says: "moves the version of a run once more, a moment after its end",
    open: ["beta.open.version-step", "beta.open.transitions"],
    decoration: {
      handlers: aroundBeta(RunService.method.createRun, (next) => async (context, request) => {
        const made = await next(context, request);
        if (made.run !== undefined) reviseOnceEnded((context as BetaContext).world, idText(made.run.runId));
        return made;
      }),
    },
  }),
  defineAlphaVariant({
    id: "attempts-move-their-endpoint",
    says: "moves the version of an endpoint with each attempt to deliver to it",
    open: ["alpha.open.version-step"],
    decoration: {
      parts: ({ destination }) => ({
        destination(world, delivery) {
          const id = idText(delivery.endpointId);
          const goesTo = destination(world, delivery);
          if (goesTo !== undefined) world.tables.webhook_endpoint.change(id, {});
          return goesTo;
        },
      }),
    },
  }),
  defineBetaVariant({
    id: "attempts-move-their-endpoint",
    says: "moves the version of an endpoint with each attempt to deliver to it",
    open: ["beta.open.version-step"],
    decoration: {
      parts: ({ destination }) => ({
        destination(world, delivery) {
          const id = idText(delivery.webhookEndpointId);
          const goesTo = destination(world, delivery);
          if (goesTo !== undefined) world.tables.webhook_endpoint.change(id, {});
          return goesTo;
        },
      }),
    },
  }),
  defineAlphaVariant({
    id: "delivered-is-sent-again",
    says: "sends each delivery once more by itself a moment after it was delivered, and counts that with it",
    open: ["alpha.open.webhook-retries", "alpha.open.version-step"],
    decoration: {
      parts: ({ destination, postDelivery }) => ({
        destination(world, delivery) {
          const id = idText(delivery.id);
          countAgain(world, world.tables.webhook_delivery, id);
          return destination(world, delivery);
        },
        postDelivery: postedTwice(postDelivery),
      }),
    },
  }),
  defineBetaVariant({
    id: "delivered-is-sent-again",
    says: "sends each delivery once more by itself a moment after it was delivered, and counts that with it",
    open: ["beta.open.webhook-retries", "beta.open.version-step"],
    decoration: {
      parts: ({ destination, postDelivery }) => ({
        destination(world, delivery) {
          const id = idText(delivery.webhookDeliveryId);
          countAgain(world, world.tables.webhook_delivery, id);
          return destination(world, delivery);
        },
        postDelivery: postedTwice(postDelivery),
      }),
    },
  }),
];
