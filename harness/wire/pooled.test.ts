import { Agent } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { sendPooled } from "./pooled.ts";
import { dottedPath } from "./request.ts";
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

test("a path is sent as it is written where that is asked, and else without its dots", async () => {
  const seen: (string | undefined)[] = [];
  const url = await serveHttp1(({ url: path }, response) => {
    seen.push(path);
    response.end();
  });
  const agent = new Agent();
  onTestFinished(() => agent.destroy());
  const send = (more: object) =>
    sendPooled(agent, { url: `${url}/x/../y`, headers: [], ...more }, limits, { totalMs: 0 });
  await send({});
  await send({ path: "/x/../y" });
  expect(seen).toEqual(["/y", "/x/../y"]);
});

test.each([
  ["http://host/./x", "/./x"],
  ["http://host/x/..", "/x/.."],
  ["http://host/x/../y?z", "/x/../y?z"],
  // With the scheme's own port, which an origin leaves out.
  ["http://host:80/./x", "/./x"],
  ["http://host/x?y=/../z", undefined],
  ["http://host/a.b/..c", undefined],
])("dots in the path of %s: %s", (url, path) => {
  expect(dottedPath(url)).toBe(path);
});
