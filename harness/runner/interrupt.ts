/**
 * Ends a run early without leaving anything behind. The command line hears of it, the run is in another thread of the
 * process.
 */
const channelName = "hallmark interrupts";

/** Asks every run of the process to end. */
export function sendInterrupt(): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage("end");
  channel.close();
}

/** Calls `interrupt` once a run is asked to end, until the returned function is called. */
export function onInterrupt(interrupt: () => void): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = interrupt;
  return () => channel.close();
}
