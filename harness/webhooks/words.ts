import type { MessagePort } from "node:worker_threads";
import type { Word } from "./messages.ts";

/** What a receiver says of itself, to whoever waits for it. All who wait are told once it is gone. */
export function listenTo(control: MessagePort) {
  const waiting: {
    readonly awaits: (word: Word) => boolean;
    readonly resolve: (word: Word) => void;
    readonly reject: (error: Error) => void;
  }[] = [];
  let isGone = false;
  const gone = () => new Error("the webhook receiver has ended");
  control.on("message", (word: Word) => {
    const index = waiting.findIndex(({ awaits }) => awaits(word));
    if (index !== -1) for (const { resolve } of waiting.splice(index, 1)) resolve(word);
  });
  control.on("close", () => {
    isGone = true;
    for (const { reject } of waiting.splice(0)) reject(gone());
  });
  return {
    /** The next word like that. Rejects where the receiver ends before it. */
    next: (awaits: (word: Word) => boolean) =>
      new Promise<Word>((resolve, reject) => {
        if (isGone) reject(gone());
        else waiting.push({ awaits, resolve, reject });
      }),
    /** Throws where the receiver broke down: what it did not receive is nobody else's fault. */
    check() {
      if (isGone) throw gone();
    },
  };
}
