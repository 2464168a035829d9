import { describe, expect, test } from "vitest";
import { rpc, rpcs } from "../../../../proto/rpcs.ts";
import { isOpen } from "./replies-open.ts";
import { reachedFields, shownFields } from "./replies-shown.ts";
import { parentOf, replyFields } from "./replies-walk.ts";

const pathsOf = (name: string, sites = replyFields()) =>
  sites.filter(({ row }) => row === rpc(name)).map(({ at }) => at);

describe("the fields of replies", () => {
  test("are of every RPC, each at a place of its own", () => {
    const sites = replyFields();
    expect(new Set(sites.map(({ row }) => row.name)).size).toBe(rpcs.length);
    expect(new Set(sites.map(({ row, at }) => `${row.name} ${at}`)).size).toBe(sites.length);
  });

  test("are those of nested messages and of elements of lists too", () => {
    expect(pathsOf("alpha.v1.SecretService/ListSecrets")).toEqual([
      "secrets",
      "secrets[]",
      "secrets[].id",
      "secrets[].workspaceId",
      "secrets[].name",
      "secrets[].resourceVersion",
      "secrets[].createdAt",
      "secrets[].updatedAt",
      "secrets[].deletedAt",
      "page",
      "page.nextCursor",
    ]);
    expect(pathsOf("beta.v1.RunService/GetRunPayload")).toContain("payload.toolCalls[].arguments.schemaSha256");
  });

  test("are those of the messages of streams, and of each member of a oneof", () => {
    expect(pathsOf("beta.v1.RunService/WatchRun")).toContain("event.error.fieldViolations[].field");
    expect(pathsOf("alpha.v1.JobService/WatchJob")).toEqual(
      expect.arrayContaining(["job.terminalError.reason", "heartbeat", "heartbeat.emittedAt"]),
    );
  });

  test("know the type of their values, an element that of the element", () => {
    const sites = replyFields().filter(({ row }) => row.method === "GetMiniApp");
    const at = (path: string) => sites.find((site) => site.at === path);
    expect(at("miniApp.operations")).toMatchObject({ element: false });
    expect(at("miniApp.operations")).not.toHaveProperty("message");
    expect(at("miniApp.operations[]")).toMatchObject({ element: true, message: { name: "MiniAppOperation" } });
    expect(at("miniApp.operations[].executionMode")).toMatchObject({ enum: { name: "ExecutionMode" } });
    expect(at("miniApp.maximumDuration")).toMatchObject({ message: { name: "Duration" } });
  });

  test("stand in a message, or in the reply itself", () => {
    const parents = new Map(
      replyFields()
        .filter(({ row }) => row.method === "ListMiniApps")
        .map((site) => [site.at, parentOf(site)]),
    );
    expect(parents.get("miniApps")).toBe("");
    expect(parents.get("page.nextCursor")).toBe("page");
    expect(parents.get("miniApps[].operations[].procedure")).toBe("miniApps[].operations[]");
  });
});

describe("the fields the reference fills", () => {
  test("leave out what nothing fills, with all that is in it", () => {
    const shown = pathsOf("beta.v1.RunService/CreateRun", shownFields());
    expect(shown).toContain("run.state");
    expect(shown.filter((path) => path.startsWith("run.error"))).toEqual([]);
    expect(pathsOf("beta.v1.RunService/GetRun", shownFields())).toContain("run.error.reason");
  });

  test("are among those whose message is sent", () => {
    const reached = new Set(reachedFields());
    expect(shownFields().every((site) => reached.has(site))).toBe(true);
    const created = pathsOf("beta.v1.RunService/CreateRun", reachedFields());
    expect(created).toContain("run.error");
    expect(created).not.toContain("run.error.reason");
  });
});

describe("the fields whose value is open", () => {
  const isOpenAt = (name: string, path: string) =>
    replyFields().some((site) => site.row === rpc(name) && site.at === path && isOpen(site));

  test("are what a deletion leaves of a record, but for what never changes", () => {
    expect(isOpenAt("beta.v1.SessionService/DeleteSession", "session.updatedAt")).toBe(true);
    expect(isOpenAt("beta.v1.SessionService/DeleteSession", "session.appVersionId")).toBe(false);
    expect(isOpenAt("beta.v1.WebhookService/DeleteWebhookEndpoint", "webhookEndpoint.url")).toBe(true);
  });

  test("are what work changes behind the reply that set it going", () => {
    expect(isOpenAt("alpha.v1.JobService/CancelJob", "job.attemptCount")).toBe(true);
    expect(isOpenAt("alpha.v1.JobService/CancelJob", "job.updatedAt")).toBe(false);
    expect(isOpenAt("alpha.v1.JobService/CancelJob", "job.procedure")).toBe(false);
    expect(isOpenAt("alpha.v1.JobService/GetJob", "job.attemptCount")).toBe(false);
  });
});
