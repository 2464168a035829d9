import type { JsonObject } from "@bufbuild/protobuf";
import type { RpcRow } from "../../proto/rpcs.ts";
import { rpc } from "../../proto/rpcs.ts";
import type { CallOptions } from "../case/call.ts";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { createCircuits } from "../runner/circuit.ts";
import { createSecretRegistry } from "../secrets/registry.ts";
import { recordIn, versionOf } from "../setup/subject.ts";
import { unaryReply } from "../wire/exchange.testing.ts";
import { textAt } from "../wire/json.ts";
import type { Reply } from "../wire/reply.ts";

interface Answer {
  readonly status: number;
  readonly json: JsonObject;
}

const otherKey = { label: "another tenant's key", token: "other" };

/** For tests: the secrets of alpha.v1 in memory. A breach is planted by overriding one of its methods. */
export class SecretService {
  readonly secrets = new Map<string, JsonObject>();
  readonly requests = new Map<string, Answer>();
  private created = 0;

  create(request: JsonObject): Answer {
    this.created += 1;
    const id = `secret-${this.created}`;
    const secret = {
      id: { value: id },
      name: textAt(request, "name"),
      resourceVersion: "1",
      createdAt: "2026-01-01T00:00:00Z",
    };
    this.secrets.set(id, secret);
    return { status: 200, json: { secret } };
  }

  /** True where a mutation is served: its secret exists and has the expected version, which may be left out. */
  isServed(secret: JsonObject | undefined, expected: string): boolean {
    return secret !== undefined && (expected === "" || expected === versionOf(secret));
  }

  rotate(secret: JsonObject): JsonObject {
    return { ...secret, resourceVersion: String(BigInt(versionOf(secret)) + 1n) };
  }

  mutate(method: string, id: string, request: JsonObject): Answer {
    const secret = this.secrets.get(id);
    if (secret === undefined || !this.isServed(secret, textAt(request, "expectedResourceVersion"))) {
      return { status: 409, json: { code: "aborted" } };
    }
    if (method === "DeleteSecret") this.delete(id);
    else this.secrets.set(id, this.rotate(secret));
    return { status: 200, json: method === "DeleteSecret" ? { secretId: { value: id } } : { secret: this.shown(id) } };
  }

  delete(id: string): void {
    this.secrets.delete(id);
  }

  shown(id: string): JsonObject {
    return this.secrets.get(id) ?? {};
  }

  read(id: string): Answer {
    return this.secrets.has(id)
      ? { status: 200, json: { secret: this.shown(id) } }
      : { status: 404, json: { code: "not_found" } };
  }

  list(): readonly JsonObject[] {
    return [...this.secrets.keys()].map((id) => this.shown(id));
  }

  isAllowed(token: string | undefined): boolean {
    return token !== otherKey.token;
  }

  /** Repeated requests are answered as at first. */
  answer(row: RpcRow, request: JsonObject, token: string | undefined): Answer {
    if (!this.isAllowed(token)) return { status: 403, json: { code: "permission_denied" } };
    const requestId = textAt(request, "requestId.value");
    const earlier = requestId === "" ? undefined : this.requests.get(requestId);
    if (earlier !== undefined) return earlier;
    const answer = this.dispatch(row.method, textAt(request, "secretId.value"), request);
    if (requestId !== "" && answer.status === 200) this.requests.set(requestId, answer);
    return answer;
  }

  dispatch(method: string, id: string, request: JsonObject): Answer {
    if (method === "CreateSecret") return this.create(request);
    if (method === "GetSecret") return this.read(id);
    if (method === "ListSecrets") return { status: 200, json: { secrets: [...this.list()] } };
    return this.mutate(method, id, request);
  }
}

/** A judgement that did not hold. */
export interface TestFinding {
  readonly clause: string;
  readonly rpc: string;
  readonly expected: string;
  readonly actual: string;
  readonly at?: string | undefined;
}

/** For tests: a context whose calls a service answers, with the findings of its judge. */
export function contextOf(service: SecretService): { readonly context: CaseContext; readonly findings: TestFinding[] } {
  const findings: TestFinding[] = [];
  let requests = 0;
  const requestId = () => {
    requests += 1;
    return { value: `request-${requests}` };
  };
  const call = async (row: RpcRow, request: JsonObject, { as }: CallOptions = {}): Promise<Reply> => {
    const { status, json } = service.answer(row, request, typeof as === "object" ? as?.token : as);
    return unaryReply(row.name, request, json, { status });
  };
  const subjectIn = (reply: Reply) => {
    const record = recordIn(reply);
    return { kind: "secret", id: record.id ?? null, record, version: versionOf(record) } as Subject;
  };
  const context = {
    row: rpc("alpha.v1.SecretService/CreateSecret"),
    run: { secrets: createSecretRegistry(), circuits: createCircuits() },
    call,
    async callAndHangUp(row: RpcRow, request: JsonObject) {
      service.answer(row, request, undefined);
    },
    needs(reply: Reply) {
      if (reply.outcome !== "served") throw new Error(`needs ${reply.row.name}`);
      return reply.json;
    },
    judge: (reply: Reply, clause: string) => ({
      satisfies(held: boolean, expected: string, actual: string, at?: string) {
        if (!held) findings.push({ clause, rpc: reply.row.method, expected, actual, at });
      },
    }),
    async poll<T>(probe: () => Promise<T | undefined>) {
      return (await probe()) ?? (await probe());
    },
    setup: {
      requestId,
      subjectIn,
      isTombstone: () => false,
      baseUrl: () => undefined,
      homeUrl: async () => undefined,
      otherTenant: async () => ({ key: otherKey, tenant: {} }),
      read: (subject: Subject) => call(rpc("alpha.v1.SecretService/GetSecret"), { secretId: subject.id }),
      request: async (row: RpcRow, subject: Subject | undefined) => ({
        ...(row.requestId === undefined ? {} : { requestId: requestId() }),
        ...(subject === undefined ? { name: `name ${requests}` } : { secretId: subject.id }),
        ...(row.expectedVersion === undefined ? {} : { expectedResourceVersion: subject?.version ?? "" }),
      }),
    },
  };
  return { context: context as unknown as CaseContext, findings };
}
