import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { versionOf } from "../setup/subject.ts";
import { type Command, CommandSequence, deletingMutation, type VersionChoice } from "./commands.ts";
import { createPatience } from "./patience.ts";
import { secretModel } from "./resources/crud.ts";
import { runCommands } from "./run-commands.ts";
import { contextOf, SecretService } from "./secret-service.testing.ts";

const mutate = (mutation: number, version: VersionChoice, variation: number): Command => ({
  type: "mutate",
  record: 0,
  mutation,
  version,
  variation,
});
const rotate = (version: VersionChoice = "current", variation = 1) => mutate(0, version, variation);
const remove = (variation = 1) => mutate(deletingMutation, "current", variation);
const read: Command = { type: "read", record: 0 };
const list: Command = { type: "list", kind: 0 };
const create: Command = { type: "create", kind: 0 };
const replay = (back: number): Command => ({ type: "replay", back });

const run = async (service: SecretService, commands: readonly Command[]) => {
  const { context, findings } = contextOf(service);
  const patience = createPatience(10, 1);
  const model = secretModel(context, { customerUserId: { value: "own" } });
  const held = await runCommands(context, model, new CommandSequence(commands), patience);
  expect(held).toBe(findings.length === 0);
  return { findings, patience, service };
};

const everything: readonly Command[] = [
  read,
  rotate(),
  rotate("stale"),
  rotate("future"),
  rotate("omitted"),
  rotate("other-tenant"),
  replay(0),
  list,
  create,
  remove(),
  rotate("current", 4),
  remove(4),
  list,
  read,
  replay(2),
];

describe("a service that keeps the contract", () => {
  test("is not accused, whatever is sent", async () => {
    const { findings, service } = await run(new SecretService(), everything);
    expect(findings).toEqual([]);
    expect([...service.secrets.values()].map(versionOf)).toEqual(["1"]);
  });

  test("may refuse a mutation that expects no version", async () => {
    class Strict extends SecretService {
      override isServed(secret: JsonObject | undefined, expected: string) {
        return expected !== "" && super.isServed(secret, expected);
      }
    }
    expect((await run(new Strict(), everything)).findings).toEqual([]);
  });

  test("may show an earlier version for a while, but not for ever", async () => {
    class Lagging extends SecretService {
      remaining: number;
      constructor(staleReads: number) {
        super();
        this.remaining = staleReads;
      }
      override read(id: string) {
        this.remaining -= 1;
        const current = super.shown(id);
        const stale =
          this.remaining >= 0 && versionOf(current) === "2" ? { ...current, resourceVersion: "1" } : current;
        return { status: 200, json: { secret: stale } };
      }
    }
    expect((await run(new Lagging(1), [rotate()])).findings).toEqual([]);
    const { findings, patience } = await run(new Lagging(99), [rotate()]);
    expect(findings).toMatchObject([{ clause: "*.records.agree", rpc: "GetSecret" }]);
    expect(findings[0]?.expected).toBe("secret a at its current version 2");
    expect(patience.ms).toBe(1);
  });
});

class ServesAnyVersion extends SecretService {
  override isServed(secret: JsonObject | undefined) {
    return secret !== undefined;
  }
}
class ServesOtherTenants extends SecretService {
  override isAllowed() {
    return true;
  }
}
class RefusesEverything extends SecretService {
  override isServed() {
    return false;
  }
}
class KeepsTheVersion extends SecretService {
  override rotate(secret: JsonObject) {
    return secret;
  }
}
class Renames extends SecretService {
  override rotate(secret: JsonObject) {
    return { ...super.rotate(secret), name: "another" };
  }
}
class RenamesOnRefusal extends SecretService {
  override isServed(secret: JsonObject | undefined, expected: string) {
    const served = super.isServed(secret, expected);
    for (const [id, one] of served ? [] : this.secrets) this.secrets.set(id, { ...one, name: "another" });
    return served;
  }
}
class UndoesOnRefusal extends SecretService {
  override isServed(secret: JsonObject | undefined, expected: string) {
    const served = super.isServed(secret, expected);
    for (const [id, one] of served ? [] : this.secrets) this.secrets.set(id, { ...one, resourceVersion: "1" });
    return served;
  }
}
class LosesMutations extends SecretService {
  override mutate(method: string, id: string, request: JsonObject) {
    const before = this.shown(id);
    const answer = super.mutate(method, id, request);
    this.secrets.set(id, before);
    return answer;
  }
}
class RotatesByItself extends SecretService {
  override read(id: string) {
    this.secrets.set(id, this.rotate(this.shown(id)));
    return super.read(id);
  }
}
class KeepsTheDeleted extends SecretService {
  override delete() {}
}
class ForgetsRequests extends SecretService {
  override answer(...[row, request, token]: Parameters<SecretService["answer"]>) {
    this.requests.clear();
    return super.answer(row, request, token);
  }
}
class RepeatsMutations extends ForgetsRequests {
  override isServed(secret: JsonObject | undefined) {
    return secret !== undefined;
  }
}
class HidesFromListings extends SecretService {
  override list() {
    return [];
  }
}
class ListsTheDeleted extends SecretService {
  readonly deleted: JsonObject[] = [];
  override delete(id: string) {
    this.deleted.push(this.shown(id));
    super.delete(id);
  }
  override list() {
    return [...super.list(), ...this.deleted];
  }
}

class NamesNothing extends SecretService {
  override create(request: JsonObject) {
    const { status, json } = super.create(request);
    return { status, json: { secret: { ...(json.secret as JsonObject), id: null } } };
  }
}

describe("a service that breaks the contract", () => {
  test.each<[string, SecretService, readonly Command[], string, string]>([
    [
      "serves a stale version",
      new ServesAnyVersion(),
      [rotate(), rotate("stale")],
      "*.versioning.expected",
      "RotateSecret",
    ],
    ["serves a future version", new ServesAnyVersion(), [rotate("future")], "*.versioning.expected", "RotateSecret"],
    ["serves another tenant", new ServesOtherTenants(), [rotate("other-tenant")], "*.isolation.mutate", "RotateSecret"],
    ["refuses the current version", new RefusesEverything(), [rotate()], "*.endpoints.served", "RotateSecret"],
    ["keeps the version", new KeepsTheVersion(), [rotate()], "*.versioning.advances", "RotateSecret"],
    ["changes what a call does not set", new Renames(), [rotate()], "*.records.echo", "RotateSecret"],
    [
      "changes a record by a refused call",
      new RenamesOnRefusal(),
      [rotate("future"), read],
      "*.versioning.expected",
      "RotateSecret",
    ],
    [
      "undoes a mutation by a refused call",
      new UndoesOnRefusal(),
      [rotate(), rotate("future"), read],
      "*.versioning.expected",
      "RotateSecret",
    ],
    [
      "never stores a mutation",
      new LosesMutations(),
      [rotate("current", 4), rotate("future"), read],
      "*.records.agree",
      "GetSecret",
    ],
    ["changes a version by a read", new RotatesByItself(), [read], "*.versioning.reads-keep", "GetSecret"],
    ["keeps what was deleted", new KeepsTheDeleted(), [remove(), read], "*.deletion.effective", "GetSecret"],
    ["creates again when replayed", new ForgetsRequests(), [replay(0)], "*.idempotency.one-effect", "CreateSecret"],
    [
      "mutates again when replayed",
      new RepeatsMutations(),
      [rotate(), replay(0)],
      "*.idempotency.one-effect",
      "RotateSecret",
    ],
    ["gives what it creates no id", new NamesNothing(), [read], "*.endpoints.served", "CreateSecret"],
    ["lists nothing", new HidesFromListings(), [list], "*.paging.traversal", "ListSecrets"],
    ["lists what was deleted", new ListsTheDeleted(), [remove(), list], "*.deletion.effective", "ListSecrets"],
  ])("is found where it %s", async (_what, service, commands, clause, rpc) => {
    const { findings } = await run(service, commands);
    expect(findings.map((finding) => [finding.clause, finding.rpc])).toEqual([[clause, rpc]]);
  });

  test.each<[string, SecretService, readonly Command[], string, string]>([
    [
      "a field that no call changes",
      new Renames(),
      [rotate()],
      "secret.name",
      'step 1 CreateSecret showed secret.name "name 1", step 2 RotateSecret showed secret.name "another", and RotateSecret sets no such field',
    ],
    [
      "a version that a read changes",
      new RotatesByItself(),
      [read],
      "secret.resourceVersion",
      'step 1 CreateSecret showed secret.resourceVersion "1", step 2 GetSecret showed secret.resourceVersion "2", and nothing between changed it',
    ],
    [
      "a version that stays",
      new KeepsTheVersion(),
      [rotate()],
      "secret.resourceVersion",
      'step 1 CreateSecret showed secret.resourceVersion "1", step 2 RotateSecret changed the secret and showed secret.resourceVersion "1", a version it had before',
    ],
    [
      "what a refused call changed",
      new RenamesOnRefusal(),
      [rotate("future"), read],
      "secret.name",
      'step 1 CreateSecret showed secret.name "name 1", step 3 GetSecret showed secret.name "another", and between them was only step 2 RotateSecret, which must have no effect',
    ],
    [
      "a refusal of the current version",
      new RefusesEverything(),
      [rotate()],
      "secret.resourceVersion",
      'step 1 CreateSecret showed secret.resourceVersion "1", step 2 RotateSecret was refused at "1", and nothing between changed it',
    ],
    [
      "what was deleted",
      new KeepsTheDeleted(),
      [remove(), read],
      "secret",
      'step 2 DeleteSecret deleted secret a, step 3 GetSecret found it, with secret.resourceVersion "1", and nothing between created it again',
    ],
    [
      "what a listing lacks",
      new HidesFromListings(),
      [list],
      "secret",
      'step 1 CreateSecret showed secret.resourceVersion "1", step 2 ListSecrets found no secret a, and nothing between deleted it',
    ],
    [
      "a second secret for one request",
      new ForgetsRequests(),
      [replay(0)],
      "secret.id",
      'step 1 CreateSecret showed secret.id {"value":"secret-1"}, step 2 CreateSecret showed secret.id {"value":"secret-2"}, though the request was the same',
    ],
  ])("is told by the two replies that contradict each other: %s", async (_what, service, commands, at, sentence) => {
    const { findings } = await run(service, commands);
    expect(findings).toMatchObject([{ at }]);
    expect(findings[0]?.actual.split("; ")[0]).toBe(sentence);
  });

  test("is found by the steps that led to it, each with its outcome and its request", async () => {
    const { findings } = await run(new ServesAnyVersion(), [rotate(), rotate("stale"), read]);
    expect(findings[0]?.actual.replaceAll(/\n {3}curl .*/g, "")).toBe(
      [
        'step 3 GetSecret showed secret.resourceVersion "2", step 4 RotateSecret was served at "1", and nothing between changed it; served: {"secret":{"id":{"value":"secret-1"},"name":"name 1","resourceVersion":"3","createdAt":"2026-01-01T00:00:00Z"}}; the steps so far:',
        "1. create secret a, at version 1 → served, version 1",
        "2. RotateSecret secret a, at version 1 → served, version 2",
        "3. read secret a → served, version 2",
        "4. RotateSecret secret a, at version 1, an earlier one → served, version 3",
        "",
      ].join("\n"),
    );
    expect(findings[0]?.actual).toContain("curl");
  });
});
