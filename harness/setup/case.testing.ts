import type { JsonObject } from "@bufbuild/protobuf";
import { onTestFinished } from "vitest";
import type { RpcRow } from "../../proto/rpcs.ts";
import { type PackageName, rpcs } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { createContext, openUndo } from "../runner/context.ts";
import { planOrder } from "../runner/order.ts";
import { createRun } from "../runner/run.ts";
import { undoAll } from "../runner/undo.ts";
import { onlyService, startEmbedded } from "../servers/reference/embedded.ts";
import { checkTarget } from "../target/load.ts";
import type { TargetFile } from "../target/schema.ts";
import { createTarget } from "../target/target.ts";
import type { Reply } from "../wire/reply.ts";

/** A call the setup made, in the order it was answered. */
export interface Asked {
  readonly rpc: string;
  readonly request: JsonObject;
}

/** A case under way on a reference of its own. */
export interface TestCase {
  readonly context: CaseContext;
  readonly asked: readonly Asked[];
  /** Ends the case: what it made is undone. Returns what is left. */
  end(): Promise<readonly string[]>;
  /** Ends the run: what its cases shared is undone too. Returns what is left. */
  endRun(): Promise<readonly string[]>;
}

/** How the reference and its target file differ from the usual ones. */
export interface TestOptions {
  readonly decoration?: object;
  readonly target?: (file: TargetFile) => TargetFile;
}

/** Opens a case of a package on the embedded reference, which is stopped when the test is over. */
export async function openCase(packageName: PackageName, options: TestOptions = {}): Promise<TestCase> {
  const { decoration = {}, target = (file) => file } = options;
  const reference = await startEmbedded(onlyService(packageName, { decoration }));
  const asked: Asked[] = [];
  const settings = checkTarget(target(reference.file), "a test");
  const run = createRun(createTarget(settings), planOrder({ target: settings, seed: 1, runs: 1 }, []), {
    invariants: [],
    observers: [
      {
        onExchange({ by, call }) {
          // How far readings are behind is learnt beside it.
          if (call !== undefined && !by.endsWith(" at once")) asked.push({ rpc: call.row.name, request: call.request });
        },
      },
    ],
  });
  onTestFinished(async () => {
    await run.close();
    await reference.close();
  });
  const row = rpcs.find((one) => one.package === packageName);
  if (row === undefined) throw new Error(`${packageName} has no RPC`);
  const about = { run, row, label: "a test", says: "a test", clause: "*.endpoints.served", signal: run.ended };
  const { context, trace } = createContext(about);
  const end = async () => {
    await undoAll({ ...trace, undo: trace.undo.splice(0) }, openUndo(about), run);
    return run.leftovers;
  };
  return {
    context,
    asked,
    end,
    async endRun() {
      await end();
      await run.close();
      return run.leftovers;
    },
  };
}

/** A decoration that answers RPCs as if the server had failed. */
export function failing(...rpcs: readonly string[]): object {
  const fail = () => () => Promise.reject(new Error("it fails for a test"));
  return { handlers: Object.fromEntries(rpcs.map((rpc) => [rpc, fail])) };
}

/** A decoration that rewrites the served messages of an RPC. */
export function replying(rpc: string, change: (json: JsonObject, request: JsonObject) => JsonObject): object {
  const reply = (json: JsonObject, call: { readonly rpc: string; readonly request: JsonObject }) =>
    call.rpc === rpc ? change(json, call.request) : json;
  return { reply };
}

/** A target file with other values at paths as `alpha.miniAppIds`; undefined takes one away. */
export function changing(values: Readonly<Record<string, unknown>>): (file: TargetFile) => TargetFile {
  return (file) => {
    const changed = structuredClone(file);
    for (const [path, value] of Object.entries(values)) {
      const parts = path.split(".");
      const last = parts.pop() ?? "";
      const at = parts.reduce((part: object, name) => Reflect.get(part, name), changed);
      if (value === undefined) Reflect.deleteProperty(at, last);
      else Reflect.set(at, last, value);
    }
    return changed;
  };
}

/** A resource as it is seen now: undefined once it is gone, or shown as deleted. */
export async function seen({ setup }: CaseContext, subject: Subject): Promise<JsonObject | undefined> {
  const now = await setup.current(subject);
  return now === undefined || setup.isTombstone(now.record) ? undefined : now.record;
}

/** A reply as if a row had served a message. */
export function served(row: RpcRow, json: JsonObject, request: JsonObject = {}): Reply {
  const exchange = {
    number: 1,
    rpc: row.name,
    request: { method: "POST", url: "", headers: [], body: new Uint8Array() },
    response: undefined,
    failure: undefined,
    startedAt: 0,
    durationMs: 0,
  };
  return { outcome: "served", row, request, json, exchange, messages: [{ json, at: 0 }] };
}
