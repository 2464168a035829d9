import { describe, expect, test } from "vitest";
import { Change, CredentialKind, Effect, readRows, rpcs, serverKeyOf, services } from "./rpcs.ts";

describe("facts of rows", () => {
  test("a listing takes a page, gives a page, and lists records of its subject", () => {
    for (const row of rpcs) {
      const listing = row.effect === Effect.LIST;
      const pages = [row.input, row.output].map((message) => message.fields.find((f) => f.jsonName === "page"));
      expect(
        pages.map((page) => page?.message?.name),
        row.name,
      ).toEqual(listing ? ["PageRequest", "PageInfo"] : [undefined, undefined]);
      expect(row.method.startsWith("List"), row.name).toBe(listing);
      expect(row.list !== undefined, row.name).toBe(listing);
    }
  });

  test("effects follow the first word of the method", () => {
    const effects: Readonly<Record<string, Effect>> = {
      Get: Effect.READ,
      Download: Effect.READ,
      List: Effect.LIST,
      Watch: Effect.WATCH,
      Stream: Effect.WATCH,
      Create: Effect.CREATE,
      Issue: Effect.CREATE,
      Run: Effect.CREATE,
      Delete: Effect.DELETE,
    };
    /** A link is a way to look at what is there; deleting all memory leaves the settings it is conditional on. */
    const exceptions: Readonly<Record<string, Effect>> = {
      CreateArtifactDownload: Effect.READ,
      CreateHostedApprovalLink: Effect.READ,
      DeleteAllMemory: Effect.UPDATE,
    };
    for (const { name, method, effect } of rpcs) {
      const first = /^[A-Z][a-z]+/.exec(method)?.[0] ?? "";
      expect(Effect[effect], name).toBe(Effect[exceptions[method] ?? effects[first] ?? Effect.UPDATE]);
    }
  });

  test("what an update does follows the first word of its method", () => {
    const changes: Readonly<Record<string, Change>> = {
      Update: Change.SETS,
      Rotate: Change.ROTATES,
      Revoke: Change.REVOKES,
      Cancel: Change.CANCELS,
      Complete: Change.COMPLETES,
      Decide: Change.DECIDES,
      Redeliver: Change.REDELIVERS,
      // Of all updates one deletes: all items of a user's memory.
      Delete: Change.CLEARS,
    };
    for (const { name, method, effect, change } of rpcs) {
      const first = /^[A-Z][a-z]+/.exec(method)?.[0] ?? "";
      const expected = effect === Effect.UPDATE ? changes[first] : Change.UNSPECIFIED;
      expect(Change[change], name).toBe(Change[expected ?? Change.UNSPECIFIED]);
    }
  });

  test("a rotation takes another secret, or gives one out; nothing else that changes a record does", () => {
    const secret = rpcs.filter(
      (row) => row.effect === Effect.UPDATE && row.writeOnly.length + row.plaintext.length > 0,
    );
    expect(rpcs.filter((row) => row.change === Change.ROTATES)).toEqual(secret);
  });

  test("a record is read by the method that gets it; a payload is no record", () => {
    for (const { name, method, readsRecord, record, output } of rpcs) {
      expect(readsRecord, name).toBe(method.startsWith("Get") && method !== "GetRunPayload");
      if (readsRecord) expect([record?.field], name).toEqual(output.fields);
    }
  });

  test("every kind has one reading and one listing at most, and one deletion", () => {
    const kinds = rpcs.flatMap(({ package: name, subject, effect, readsRecord }) =>
      readsRecord || effect === Effect.LIST || effect === Effect.DELETE ? [`${name} ${subject} ${effect} `] : [],
    );
    expect(kinds).toHaveLength(new Set(kinds).size);
  });

  test("the stream that need not show what is past is that of a run's text", () => {
    expect(rpcs.filter((row) => row.partialHistory).map(({ name }) => name)).toEqual([
      "beta.v1.RunService/StreamRunText",
    ]);
  });

  test("a record or an id of the subject stands in the messages of every row that has one", () => {
    const without = rpcs.filter((row) => {
      const ids = row.ids.map(({ facts }) => facts.names);
      return row.record === undefined && row.list === undefined && !ids.includes(row.subject);
    });
    expect(without.map((row) => `${row.name} ${row.subject}`)).toEqual([
      "alpha.v1.PublicTestFixtureService/RunStream fixture_output",
      "alpha.v1.PublicTestFixtureService/RunSync fixture_output",
      "beta.v1.CustomerUserService/IssueBrowserToken browser_token",
      "beta.v1.HostedService/CreateHostedApprovalLink approval",
      "beta.v1.SessionService/CreateVoiceConnectionTicket voice_ticket",
    ]);
  });
});

describe("readRows", () => {
  test("gives the rows of services, package by package, in the documents' order", () => {
    const methods = services.flatMap((service) =>
      service.methods.map((method) => `${service.typeName}/${method.name}`),
    );
    expect(rpcs.map(({ name }) => name)).toEqual(methods);
    expect(readRows(services.slice(1, 2)).map(({ method }) => method)).toEqual(["GetMiniApp", "ListMiniApps"]);
    expect(readRows([])).toEqual([]);
  });

  test("has each row know those of its package in the same set, and no others", () => {
    const catalog = readRows(services.slice(1, 2));
    for (const row of catalog) expect(row.peers).toEqual(catalog);
    for (const row of rpcs) expect(row.peers).toEqual(rpcs.filter((one) => one.package === row.package));
  });

  test("knows the message of a row's subject whether or not the row shows one", () => {
    const messages = new Map(rpcs.map(({ method, package: name, resource }) => [`${name} ${method}`, resource?.name]));
    expect(messages.get("alpha.v1 DeleteSecret")).toBe("Secret");
    expect(messages.get("beta.v1 StreamRunText")).toBe("Run");
    const without = rpcs.filter(({ resource }) => resource === undefined).map(({ subject }) => subject);
    expect([...new Set(without)]).toEqual(["fixture_output", "browser_token", "oauth_login_request", "voice_ticket"]);
  });

  test("finds what numbers a stream's messages", () => {
    expect(rpcs.flatMap(({ method, sequence }) => (sequence === undefined ? [] : [[method, sequence]]))).toEqual([
      ["RunStream", "sequence"],
      ["StreamRunText", "event.sequence"],
      ["WatchRun", "event.sequence"],
    ]);
  });
});

test("of the kinds of credentials one of each package is a server-side key", () => {
  expect(new Set(rpcs.map(serverKeyOf))).toEqual(
    new Set([CredentialKind.API_KEY, CredentialKind.BACKEND_KEY, undefined]),
  );
  expect(serverKeyOf({ credentials: [CredentialKind.BROWSER_TOKEN, CredentialKind.BACKEND_KEY] })).toBe(
    CredentialKind.BACKEND_KEY,
  );
  expect(serverKeyOf({ credentials: [CredentialKind.BROWSER_TOKEN] })).toBeUndefined();
});
