import { Agent } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { sendPooled } from "./pooled.ts";
import { serveHttp1 } from "./server.testing.ts";

const limits = { connectMs: 500, replyMs: 2000, maxBodyBytes: 1000, concurrency: 4 };

test.each([
  ["late", 1000, true],
  ["in time", 0, undefined],
] as const)(
  "a new connection that is closed before a response was idle where it was written to %s",
  async (_, lateMs, idle) => {
    const url = await serveHttp1(({ socket }) => void socket.resetAndDestroy());
    const agent = new Agent();
    onTestFinished(() => agent.destroy());
    let looks = 0;
    const lag = {
      get totalMs() {
        looks += 1;
        return looks === 1 ? 0 : lateMs;
      },
    };
    const collected = await sendPooled(agent, { url, headers: [] }, limits, lag);
    expect(collected.failure?.kind).toBe("reset");
    expect(collected.closedWhileIdle).toBe(idle);
  },
);
