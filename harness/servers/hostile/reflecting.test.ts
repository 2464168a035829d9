import { request } from "node:http";
import { expect, test } from "vitest";
import { findHostileTarget } from "./index.ts";

const askedWith = (origin: string, method: string) =>
  new Promise((resolve, reject) => {
    const headers = { authorization: "Bearer a-key" };
    const asked = request(origin, { method, headers }, (response) => {
      response.resume();
      response.once("end", () => resolve({ status: response.statusCode, trailers: response.trailers }));
    });
    asked.once("error", reject);
    asked.end();
  });

test("trailers reflect the key, and a HEAD request, which has none, is answered too", async () => {
  const { start } = await findHostileTarget("reflecting/in-trailers");
  const hosted = await start();
  try {
    const { baseUrl = "" } = hosted.file.alpha ?? {};
    expect(await askedWith(baseUrl, "HEAD")).toEqual({ status: 500, trailers: {} });
    expect(await askedWith(baseUrl, "POST")).toMatchObject({ status: 500, trailers: { "x-key": "a-key" } });
  } finally {
    await hosted.close();
  }
});
