import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { moduleExtension } from "../package/home.ts";
import type { Service } from "./messages.ts";

/** A place on the thread of webhook receivers. */
export interface Place {
  /** Orders go here, and what the receiver says of itself comes from here. Closes when it ends. */
  readonly control: MessagePort;
  /** What it reports. */
  readonly reports: MessagePort;
  /** Gives the place back. Idempotent. */
  leave(): void;
}

/** The thread, and how many receivers are on it: one serves all of a process, as starting one takes its time. */
let thread: { readonly worker: Worker; users: number } | undefined;

/** Where it breaks down, every receiver on it learns of it by its ports, and the next one gets another thread. */
function startThread(): NonNullable<typeof thread> {
  const worker = new Worker(new URL(`./thread${moduleExtension}`, import.meta.url), {
    name: "hallmark webhooks",
    execArgv: [],
  });
  const started = { worker, users: 0 };
  const forget = () => {
    if (thread === started) thread = undefined;
  };
  worker.on("error", forget);
  worker.on("exit", forget);
  return started;
}

/** Begins to serve a receiver on the thread. While there is none on it, the thread does not keep the process alive. */
export function takePlace(where: Pick<Service, "host" | "port" | "counters">): Place {
  thread ??= startThread();
  const used = thread;
  used.users += 1;
  used.worker.ref();
  const [control, reports] = [new MessageChannel(), new MessageChannel()];
  const service: Service = { ...where, control: control.port2, reports: reports.port2 };
  used.worker.postMessage(service, [control.port2, reports.port2]);
  let left = false;
  return {
    control: control.port1,
    reports: reports.port1,
    leave() {
      if (left) return;
      left = true;
      used.users -= 1;
      if (used.users === 0) used.worker.unref();
    },
  };
}
