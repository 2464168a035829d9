import { connect } from "node:http2";
import { request } from "node:https";
import { expect, onTestFinished, test } from "vitest";
import { testCertificate } from "../../../wire/server.testing.ts";
import { startAlphaReference } from "../main.ts";
import { collect, startClient } from "../test-client.ts";
import { systemClock } from "./clock.ts";

test("over TLS, HTTP/2 and HTTP/1.1 are both served", async () => {
  const reference = await startAlphaReference({ tls: testCertificate });
  onTestFinished(() => reference.close());
  expect(reference.baseUrl).toMatch(/^https:/);
  const { workspaceId, keys } = reference.facts;
  const headers = { authorization: `Bearer ${keys.all.token}`, "content-type": "application/json" };
  const path = "/alpha.v1.CatalogService/ListMiniApps";
  const body = JSON.stringify({ workspaceId: { value: workspaceId } });

  const session = connect(reference.baseUrl, { ca: testCertificate.cert });
  const stream = session.request({ ":method": "POST", ":path": path, ...headers });
  stream.end(body);
  const [status, answered] = await new Promise<[unknown, string]>((resolve, reject) => {
    let text = "";
    let code: unknown;
    stream.on("response", (received) => {
      code = received[":status"];
    });
    stream.on("data", (piece) => {
      text += piece;
    });
    stream.on("end", () => resolve([code, text]));
    stream.on("error", reject);
  });
  session.close();
  expect([status, JSON.parse(answered).miniApps.length]).toEqual([200, 3]);

  const old = await new Promise<string | undefined>((resolve, reject) => {
    const post = request(
      reference.baseUrl + path,
      { method: "POST", ca: testCertificate.cert, headers, agent: false },
      (response) => {
        response.resume();
        resolve(`${response.httpVersion} ${response.statusCode}`);
      },
    );
    post.on("error", reject);
    post.end(body);
  });
  expect(old).toBe("1.1 200");
});

test("a closed reference ends its streams and connections, keeps no timer, and may be closed again", async () => {
  let pending = 0;
  const clock = {
    now: systemClock.now,
    after(delayMs: number, run: () => void) {
      pending++;
      const cancel = systemClock.after(delayMs, () => {
        pending--;
        run();
      });
      return () => {
        pending--;
        cancel();
      };
    },
  };
  const client = await startClient({ clock });
  const { json } = await client.call("PublicTestFixtureService/RunAsync", { input: "slow" }, { test: true });
  const watch = client.stream("JobService/WatchJob", { jobId: json.job?.id });
  await watch.next();
  await client.reference.close();
  await client.reference.close();
  expect(pending).toBe(0);
  await expect(collect(watch)).rejects.toThrow();
  await expect(client.call("SecretService/ListSecrets")).rejects.toThrow();
});

test("an address that is taken rejects", async () => {
  const client = await startClient();
  const port = Number(new URL(client.reference.baseUrl).port);
  await expect(startAlphaReference({ testPort: port })).rejects.toThrow("EADDRINUSE");
});
