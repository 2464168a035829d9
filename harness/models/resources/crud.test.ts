import { describe, expect, test } from "vitest";
import { Change, rpc } from "../../../proto/rpcs.ts";
import { unaryReply } from "../../wire/exchange.testing.ts";
import { CommandSequence } from "../commands.ts";
import type { Model } from "../model.ts";
import { createPatience } from "../patience.ts";
import { runCommands } from "../run-commands.ts";
import { contextOf, SecretService } from "../secret-service.testing.ts";
import { endpointModel, secretModel } from "./crud.ts";

const rotationOf = ({ kinds }: Model) => kinds[0]?.mutations.find(({ row }) => row.change === Change.ROTATES);

const { context } = contextOf(new SecretService());
const endpoints = endpointModel({ ...context, row: rpc("beta.v1.WebhookService/CreateWebhookEndpoint") });
const secrets = secretModel(context, { customerUserId: { value: "own" } });

const refusal = (reason: string) => {
  const details = [{ type: "beta.v1.ErrorDetail", value: "", debug: { reason: `ERROR_REASON_${reason}` } }];
  const error = { code: "failed_precondition", details };
  return unaryReply("beta.v1.WebhookService/RotateWebhookSecret", {}, error, { status: 400 });
};

function tracked(...changes: readonly Change[]) {
  return {
    ...{ id: null, name: "webhook endpoint a", versions: [], changes: new Set(changes) },
    ...{ deleted: false, confirmed: true, noEffectCalls: [] },
  };
}

describe("a rotation of a signing secret", () => {
  const mayRefuse = rotationOf(endpoints)?.mayRefuse;

  test("may be refused for the endpoint's state once its secret was rotated, and not before", () => {
    expect(mayRefuse?.(tracked(Change.ROTATES), refusal("FAILED_PRECONDITION"))).toBe(true);
    expect(mayRefuse?.(tracked(Change.SETS), refusal("FAILED_PRECONDITION"))).toBe(false);
    expect(mayRefuse?.(tracked(), refusal("FAILED_PRECONDITION"))).toBe(false);
  });

  test("is never refused for its version, nor a rotation of another kind for anything", () => {
    expect(mayRefuse?.(tracked(Change.ROTATES), refusal("RESOURCE_VERSION_CONFLICT"))).toBe(false);
    expect(rotationOf(secrets)?.mayRefuse).toBeUndefined();
  });
});

/** Serves as many rotations of a secret as it is told, and refuses the others; `renames` at that. */
class RotatesSome extends SecretService {
  readonly max: number;
  readonly renames: boolean;
  constructor(max: number, renames = false) {
    super();
    this.max = max;
    this.renames = renames;
  }
  override mutate(method: string, id: string, request: Parameters<SecretService["mutate"]>[2]) {
    const secret = this.shown(id);
    const isOpen = method !== "RotateSecret" || Number(secret.resourceVersion) <= this.max;
    if (isOpen || request.expectedResourceVersion !== secret.resourceVersion) return super.mutate(method, id, request);
    if (this.renames) this.secrets.set(id, { ...secret, name: "another" });
    return { status: 400, json: { code: "failed_precondition" } };
  }
}

describe("a second mutation that may be refused", () => {
  const rotate = { type: "mutate", record: 0, mutation: 0, version: "current", variation: 1 } as const;
  const read = { type: "read", record: 0 } as const;
  const [kind] = secrets.kinds;
  if (kind === undefined) throw new Error("the model has no kind");
  const mutations = kind.mutations.map((one) => ({
    ...one,
    mayRefuse: ({ changes }: { readonly changes: ReadonlySet<Change> }) => changes.has(Change.ROTATES),
  }));
  const lenient: Model = { ...secrets, kinds: [{ ...kind, mutations }] };

  const judged = async (service: SecretService, model: Model) => {
    const { context, findings } = contextOf(service);
    const commands = new CommandSequence([rotate, read, rotate, read]);
    await runCommands(context, model, commands, createPatience(10, 1));
    return findings.map(({ clause }) => clause);
  };

  test("is no breach where it is refused; the first is, and so is what a refusal changes", async () => {
    expect(await judged(new RotatesSome(1), lenient)).toEqual([]);
    expect(await judged(new RotatesSome(0), lenient)).toEqual(["*.endpoints.served"]);
    expect(await judged(new RotatesSome(1), secrets)).toEqual(["*.endpoints.served"]);
    expect(await judged(new RotatesSome(1, true), lenient)).toEqual(["*.records.agree"]);
  });
});
