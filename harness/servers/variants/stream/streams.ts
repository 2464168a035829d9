import { forRpc } from "../../reference/core/decoration.ts";
import { versionOf } from "../../reference/core/subject.ts";
import { defineAlphaVariant, defineVariants, type Variant } from "../variant.ts";

/** Watches and fixture streams. */
export const streamVariants: readonly Variant[] = [
  defineAlphaVariant({
    id: "no-heartbeats",
    says: "sends no heartbeats",
    open: ["alpha.open.heartbeats"],
    decoration: { choices: { heartbeatMs: 0 } },
  }),
  defineAlphaVariant({
    id: "many-heartbeats",
    says: "sends a heartbeat every few milliseconds",
    open: ["alpha.open.heartbeats"],
    decoration: { choices: { heartbeatMs: 4 } },
  }),
  defineAlphaVariant({
    id: "late-heartbeats",
    says: "does not begin a watch with a heartbeat",
    open: ["alpha.open.heartbeats", "TR-17"],
    decoration: { choices: { heartbeatAtStart: false, heartbeatMs: 700 } },
  }),
  ...defineVariants({
    id: "watch-stays-open",
    says: "keeps a watch open after the job has ended",
    open: ["*.open.watch-end"],
    decoration: { choices: { watchEndsAtTerminal: false } },
  }),
  defineAlphaVariant({
    id: "watch-resends",
    says: "begins a resumed watch with the record at the version resumed from",
    open: ["alpha.open.watch-end"],
    decoration: { choices: { watchResendsSnapshot: true } },
  }),
  defineAlphaVariant({
    id: "watch-of-one-message",
    says: "ends a watch after each job it shows, to be resumed",
    open: ["alpha.open.watch-end"],
    decoration: {
      parts: ({ watch }) => ({
        async *watch(context, source) {
          for await (const message of watch(context, source)) {
            yield message;
            if (message !== "heartbeat") return;
          }
        },
      }),
    },
  }),
  defineAlphaVariant({
    id: "watch-of-a-moment",
    says: "ends a watch after 60 milliseconds, to be resumed",
    open: ["alpha.open.watch-end"],
    decoration: {
      choices: { heartbeatMs: 20 },
      parts: ({ watch }) => ({
        async *watch(context, source) {
          const until = context.world.clock.now() + 60;
          for await (const message of watch(context, source)) {
            yield message;
            if (context.world.clock.now() >= until) return;
          }
        },
      }),
    },
  }),
  defineAlphaVariant({
    id: "watch-leaves-out-steps",
    says: "looks for news now and then, and shows the latest state alone",
    open: ["alpha.open.transitions", "alpha.open.heartbeats"],
    decoration: {
      parts: () => ({
        async *watch(context, { table, id, afterVersion, isTerminal }) {
          let shown = afterVersion;
          for (
            let current = table.find(id);
            current !== undefined && !context.signal.aborted;
            current = table.find(id)
          ) {
            const { record } = current;
            if (versionOf(record) > shown) {
              shown = versionOf(record);
              yield record;
            }
            if (isTerminal(record)) return;
            await context.world.clock.pause(40, context.signal);
          }
        },
      }),
    },
  }),
  defineAlphaVariant({
    id: "sequence-from-zero",
    says: "numbers the parts of a stream 0, 10, 20",
    open: ["alpha.open.mini-apps", "PJ-42"],
    decoration: {
      reply: forRpc("alpha.v1.PublicTestFixtureService/RunStream", ({ sequence, ...json }) => {
        const moved = (Number(sequence) - 1) * 10;
        return moved === 0 ? json : { ...json, sequence: moved };
      }),
    },
  }),
];
