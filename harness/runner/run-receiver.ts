import type { RunUsage } from "../case/result.ts";
import { NotExercised, type Target } from "../target/target.ts";
import { createReceiver, type Receiver } from "../webhooks/receiver.ts";

/** The receiver of a run, started once it is asked for. */
export function createRunReceiver({ settings }: Target) {
  let receiver: Promise<Receiver> | undefined;
  let started: Receiver | undefined;
  return {
    async get(): Promise<Receiver> {
      if (settings.webhooks === undefined) {
        throw new NotExercised("webhooks", "the suite receives deliveries only where the target can reach it");
      }
      receiver ??= createReceiver(settings.webhooks);
      started = await receiver;
      return started;
    },
    /** What it received, and how it did. */
    get used(): Pick<RunUsage, "deliveries" | "receiver"> {
      if (started === undefined) return { deliveries: 0 };
      const { received, ...times } = started.times;
      return { deliveries: received, receiver: times };
    },
    close: async () => (await receiver)?.close(),
  };
}
