import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fileWith, type Sandbox, serveSandbox } from "../cli/spawn.testing.ts";
import { chooseJudged } from "./choose.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await serveSandbox();
});
afterAll(() => sandbox.stop());

const url = (name: "alpha" | "beta") => sandbox.target[name]?.baseUrl ?? "";

describe("what tests judge", () => {
  test("is the target file they name, whatever the environment says", async () => {
    const environment = { HALLMARK_TARGET: "nowhere.yaml", HALLMARK_BASE_URL: "http://127.0.0.1:1" };
    const { settings, title, command } = await chooseJudged(sandbox.file, 7, environment);
    expect(settings.alpha?.baseUrl).toBe(url("alpha"));
    expect(title).toBe(`conformance of ${settings.name}, ${url("alpha")} and ${url("beta")}`);
    expect(command).toBe(`hallmark run ${sandbox.file}`);
  });

  test("is what they give as it would stand in a file", async () => {
    const { settings, title } = await chooseJudged({ name: "mine", alpha: { baseUrl: "http://127.0.0.1:1" } }, 7, {});
    expect(settings.alpha?.baseUrl).toBe("http://127.0.0.1:1");
    expect(title).toBe("conformance of mine, http://127.0.0.1:1");
  });

  test("is the environment's target file, or its address", async () => {
    const file = await chooseJudged(undefined, 7, { HALLMARK_TARGET: sandbox.file, HALLMARK_BASE_URL: "" });
    expect(file.settings.beta?.baseUrl).toBe(url("beta"));
    const address = await chooseJudged(undefined, 7, { HALLMARK_BASE_URL: url("beta") });
    expect(address.title).toContain(url("beta"));
    expect(address.settings.alpha).toBeUndefined();
    expect(address.command).toBe(`hallmark run --base-url ${url("beta")}`);
  });

  test("is never nothing", async () => {
    await expect(chooseJudged(undefined, 7, { HALLMARK_TARGET: "" })).rejects.toThrow(
      /^Nothing to judge: set HALLMARK_TARGET to a target file or HALLMARK_BASE_URL to an address, or put target\.yaml/,
    );
    await expect(chooseJudged(fileWith("alpha: { baseUrl: 7 }"), 7, {})).rejects.toThrow(/"alpha\.baseUrl"/);
    await expect(chooseJudged(undefined, 7, { HALLMARK_BASE_URL: "http://127.0.0.1:1" })).rejects.toThrow(
      /cannot be reached/,
    );
  });
});
