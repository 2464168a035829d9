import { expect, test } from "vitest";
import { converse, directory, hallmark, serveSandbox } from "./spawn.testing.ts";

const narrow = ["--only", "version/reads-keep-the-version", "--service", "alpha.v1.SecretService", "--quiet"];
const prompt = "q stops.\n";

test("a watched run goes on at Enter, when its target comes back, and no longer than asked", async () => {
  const first = await serveSandbox();
  const ports = ["baseUrl", "testBaseUrl"].map((key) => new URL(first.target.alpha?.[key] ?? "").port);
  const betaPort = new URL(first.target.beta?.baseUrl ?? "").port;
  const run = converse("run", first.file, ...narrow, "--watch", "--out", directory());
  await run.said(prompt, 1);
  run.type("\n");
  await run.said(prompt, 2);
  await first.stop();
  const [port = "", testPort = ""] = ports;
  // Long enough away to be missed.
  await new Promise((resolve) => setTimeout(resolve, 2500));
  const second = await serveSandbox(
    "--target-file",
    first.file,
    "--port",
    port,
    "--test-port",
    testPort,
    "--beta-port",
    betaPort,
  );
  try {
    await run.said(prompt, 3);
    run.type("q\n");
    expect(await run.ended()).toBe(0);
  } finally {
    await second.stop();
  }
});

test("two servers are told apart with one seed", async () => {
  const faulty = await serveSandbox("--fault", "version/alpha.DeleteSecret-low-32-bits");
  try {
    const only = ["--only", "version/not-current-is-refused", "--service", "alpha.v1.SecretService"];
    const { exit, stdout } = await hallmark("diff", "embedded", faulty.file, ...only, "--out", directory());
    expect(stdout).toMatch(
      /Newly failing \(1\)\n {2}✗ version\/not-current-is-refused · alpha\.v1\.SecretService\/DeleteSecret/,
    );
    expect(stdout).not.toContain("differ in seed");
    expect(exit).toBe(1);
    const twice = await hallmark("diff", "embedded", "embedded");
    expect(twice.stderr).toMatch(/is given twice/);
    expect(twice.exit).toBe(2);
  } finally {
    await faulty.stop();
  }
});
