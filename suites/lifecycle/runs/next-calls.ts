import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../../harness/case/context.ts";
import { orUndefined } from "../../../harness/case/or-undefined.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { startNext } from "../../../harness/setup/beta/run.ts";
import { settle } from "../../../harness/setup/work.ts";
import { listAt, showJson, textAt } from "../../../harness/wire/json.ts";
import { isObject, type Reply } from "../../../harness/wire/reply.ts";
import { rpc } from "../../../proto/rpcs.ts";

const payloadRow = rpc("beta.v1.RunService/GetRunPayload");

/** The tool calls in a payload that have arguments and a result, as texts that are the same for the same call. */
function callsIn(payload: JsonObject): readonly string[] {
  const calls = listAt(payload, "payload.toolCalls").filter(isObject);
  const whole = calls.filter((one) => textAt(one, "arguments.value") !== "" && textAt(one, "result.value") !== "");
  return whole.map((one) =>
    showJson([one.toolId ?? null, textAt(one, "arguments.value"), textAt(one, "result.value")]),
  );
}

/**
 * Judges that the payload of a run shows no tool call of the run before it in its session. A call that waited for its approval
 * is not made by a run that awaited none, and its result is its own.
 *
 * @param first the payload of the run before, whose call was approved
 */
export async function judgeNextCalls(context: CaseContext, run: Subject, first: Reply): Promise<void> {
  const { setup, call, judge } = context;
  const known = first.outcome === "served" ? callsIn(first.json) : [];
  if (known.length === 0) return;
  const next = await orUndefined(startNext(context, "complete", run).then((started) => settle(context, started)));
  if (next === undefined) return;
  const reply = await call(payloadRow, await setup.request(payloadRow, next));
  if (reply.outcome !== "served") return;
  const others = callsIn(reply.json).filter((one) => known.includes(one));
  judge(reply, "*.runs.own", [first]).satisfies(
    others.length === 0,
    "no call of another run of its session",
    others.join(", "),
    "payload.toolCalls",
  );
}
