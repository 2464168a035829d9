import { describe, expect, test } from "vitest";
import { rpcs } from "../../../../proto/rpcs.ts";
import { collect, freshId, startClient, text } from "../test-client.ts";

const alpha = rpcs.filter((row) => row.package === "alpha.v1");

describe("credentials and scopes", () => {
  test("every RPC is refused without a known key, without its scope, and goes on with its scope alone", async () => {
    const client = await startClient();
    const { limited } = client.reference.facts.keys;
    for (const row of alpha) {
      const ask = async (token: string) => {
        const name = `${row.service}/${row.method}`;
        if (!row.stream) return (await client.call(name, {}, { token, test: true })).reason;
        const [end] = await collect(client.stream(name, {}, { token, test: true }));
        const reason = end?.end?.error?.details?.[0]?.debug?.reason;
        return reason === undefined ? undefined : text(reason).replace("ERROR_REASON_", "");
      };
      const without = limited.find(({ scopes }) => scopes.length > 1 && !scopes.includes(row.scope));
      const alone = limited.find(({ scopes }) => scopes.length === 1 && scopes.includes(row.scope));
      expect([row.name, await ask("nonsense")]).toEqual([row.name, "AUTHENTICATION_REQUIRED"]);
      expect([row.name, await ask(without?.token ?? "")]).toEqual([row.name, "AUTHORIZATION_DENIED"]);
      expect(["INVALID_ARGUMENT", undefined]).toContain(await ask(alone?.token ?? ""));
    }
  });

  test.each([{}, { authorization: "Basic abc" }, { authorization: "Bearer" }, { authorization: "Bearer a b" }])(
    "%o is no credential",
    async (headers) => {
      const client = await startClient();
      const answer = await client.call("SecretService/ListSecrets", {}, { headers: { authorization: "", ...headers } });
      expect([answer.status, answer.reason]).toEqual([401, "AUTHENTICATION_REQUIRED"]);
    },
  );

  test("nothing of another workspace is reached", async () => {
    const client = await startClient();
    const { workspaceId, key } = client.reference.facts.secondWorkspace;
    const foreign = await client.call("SecretService/CreateSecret", { name: "a" }, { token: key.token });
    expect(foreign.reason).toBe("AUTHORIZATION_DENIED");
    const mine = await client.call("SecretService/CreateSecret", { name: "a" });
    const theirs = { workspaceId: { value: workspaceId }, secretId: mine.json.secret?.id };
    const read = await client.call("SecretService/GetSecret", theirs, { token: key.token });
    expect([read.status, read.reason]).toEqual([404, "RESOURCE_NOT_FOUND"]);
    const list = await client.call("SecretService/ListSecrets", theirs, { token: key.token });
    expect(list.json.secrets).toBeUndefined();
  });
});

describe("input", () => {
  test("all violations are named at once, and the requestId is repeated", async () => {
    const client = await startClient();
    const requestId = freshId();
    const answer = await client.call("SecretService/RotateSecret", {
      requestId,
      workspaceId: { value: "elsewhere" },
    });
    const detail = answer.json.details?.[0]?.debug;
    expect(answer.reason).toBe("INVALID_ARGUMENT");
    expect(detail?.requestId).toEqual(requestId);
    expect(detail?.fieldViolations).toEqual([
      { field: "workspaceId.value", description: "is not a UUID" },
      { field: "secretId", description: "is required" },
    ]);
  });

  test("a request that cannot be read names the field and repeats no value", async () => {
    const client = await startClient();
    for (const value of ["!!canary!!", 12345, ["canary"]]) {
      const answer = await client.call("SecretService/CreateSecret", { name: "a", value });
      expect([answer.status, answer.reason]).toEqual([400, "INVALID_ARGUMENT"]);
      expect(answer.text).not.toMatch(/canary|12345/);
      expect(answer.json.details?.[0]?.debug?.fieldViolations).toEqual([
        { field: "value", description: "cannot be read" },
      ]);
    }
  });
});

describe("idempotency", () => {
  test("the same request is served once, in sequence and at once; another under its id is a conflict", async () => {
    const client = await startClient();
    const request = { requestId: freshId(), name: "hook", url: "http://127.0.0.1:9/" };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => client.call("WebhookService/CreateWebhookEndpoint", request)),
    );
    const again = await client.call("WebhookService/CreateWebhookEndpoint", request);
    expect(new Set([...answers, again].map((answer) => answer.text)).size).toBe(1);
    const listed = await client.call("WebhookService/ListWebhookEndpoints");
    expect(listed.json.endpoints).toHaveLength(1);
    const other = await client.call("WebhookService/CreateWebhookEndpoint", { ...request, name: "another" });
    expect([other.status, other.reason]).toEqual([409, "IDEMPOTENCY_CONFLICT"]);
  });

  test("a failure is forgotten, a delete is remembered", async () => {
    const client = await startClient();
    const requestId = freshId();
    const bad = await client.call("SecretService/CreateSecret", { requestId, name: "" });
    expect(bad.reason).toBe("INVALID_ARGUMENT");
    const { json } = await client.call("SecretService/CreateSecret", { requestId, name: "a" });
    const remove = { requestId: freshId(), secretId: json.secret?.id, expectedResourceVersion: "1" };
    const first = await client.call("SecretService/DeleteSecret", remove);
    const second = await client.call("SecretService/DeleteSecret", remove);
    expect([first.status, second.text]).toEqual([200, first.text]);
  });
});

describe("versions", () => {
  test("of concurrent mutations at one version exactly one succeeds", async () => {
    const client = await startClient();
    const { json } = await client.call("SecretService/CreateSecret", { name: "a" });
    const rotate = { secretId: json.secret?.id, expectedResourceVersion: "1", value: "AA==" };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => client.call("SecretService/RotateSecret", rotate)),
    );
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.reason === "RESOURCE_VERSION_CONFLICT")).toHaveLength(7);
  });

  test.each(["0", "2", "-1", "4294967297", "9007199254740993", "9223372036854775807"])(
    "%s is not 1",
    async (version) => {
      const client = await startClient();
      const { json } = await client.call("SecretService/CreateSecret", { name: "a" });
      const request = { secretId: json.secret?.id, expectedResourceVersion: version };
      expect((await client.call("SecretService/DeleteSecret", request)).reason).toBe("RESOURCE_VERSION_CONFLICT");
    },
  );
});

describe("paging", () => {
  test("a traversal shows every record once while records come and go", async () => {
    const client = await startClient();
    const made = [];
    for (const name of ["a", "b", "c", "d", "e"]) {
      made.push((await client.call("SecretService/CreateSecret", { name })).json.secret);
    }
    const seen: string[] = [];
    let cursor = "";
    do {
      const { json } = await client.call("SecretService/ListSecrets", { page: { pageSize: 2, cursor } });
      seen.push(...Array.from((json.secrets ?? []) as unknown as { name: string }[], ({ name }) => name));
      cursor = json.page?.nextCursor === undefined ? "" : text(json.page.nextCursor);
      if (seen.length === 2) {
        await client.call("SecretService/DeleteSecret", {
          secretId: made[1]?.id,
          expectedResourceVersion: "1",
        });
        await client.call("SecretService/CreateSecret", { name: "f" });
      }
    } while (cursor !== "");
    expect(seen).toEqual(["a", "b", "c", "d", "e", "f"]);
  });

  test("a cursor is good for its listing, its filter and its workspace, unaltered", async () => {
    const client = await startClient();
    const { workspaceId, key } = client.reference.facts.secondWorkspace;
    for (const name of ["a", "b"]) await client.call("SecretService/CreateSecret", { name });
    const first = await client.call("SecretService/ListSecrets", { page: { pageSize: 1 } });
    const cursor = text(first.json.page?.nextCursor);
    const altered = (cursor.startsWith("A") ? "B" : "A") + cursor.slice(1);
    const theirs = { workspaceId: { value: workspaceId }, page: { cursor } };
    const misused = [
      await client.call("SecretService/ListSecrets", { page: { cursor: altered } }),
      await client.call("SecretService/ListSecrets", { page: { cursor: `${cursor}A` } }),
      await client.call("SecretService/ListSecrets", { page: { cursor: "x" } }),
      await client.call("JobService/ListJobs", { page: { cursor } }),
      await client.call("SecretService/ListSecrets", theirs, { token: key.token }),
    ];
    expect(misused.map((answer) => answer.reason)).toEqual(Array(5).fill("INVALID_ARGUMENT"));
  });
});
