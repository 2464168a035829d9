import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import type { Streamed } from "../../harness/setup/beta/run-stream.ts";
import { integerAt } from "../../harness/setup/integer.ts";
import { showJson, textAt } from "../../harness/wire/json.ts";
import { rpc } from "../../proto/rpcs.ts";

const payloadRow = rpc("beta.v1.RunService/GetRunPayload");

/** The whole text of a stream; undefined where events may be missing at its beginning, on the way or at its end. */
function wholeText({ events }: Streamed): string | undefined {
  const numbers = events.map((event) => integerAt(event, "sequence"));
  const [first] = numbers;
  if (first === undefined || first > 1n || events.at(-1)?.final !== true) return undefined;
  if (numbers.some((number, index) => index > 0 && number !== (numbers[index - 1] ?? 0n) + 1n)) return undefined;
  return events.map((event) => textAt(event, "delta")).join("");
}

/**
 * How an output was damaged: cut short, or with marks for what is not ASCII. That it is the text that was streamed is not shown,
 * and a summary is neither.
 */
function damageOf(text: string, output: string): string | undefined {
  const [whole, shown] = [text.trim(), output.trim()];
  if (shown === "" || shown === whole) return undefined;
  if (whole.startsWith(shown)) return "it ends in the middle of the text";
  const marked = [...whole].map((character) => (/\P{ASCII}/u.test(character) ? "?" : character)).join("");
  const byUnits = whole.replaceAll(/\P{ASCII}/gv, (character) => "?".repeat(character.length));
  return shown === marked || shown === byUnits ? "it has question marks for what is not ASCII" : undefined;
}

/** Judges that the output of a run is not a damaged form of its text. Returns the output and the text. */
export async function judgeOutput(context: CaseContext, run: Subject, streamed: Streamed): Promise<void> {
  const { setup, call, judge } = context;
  const text = wholeText(streamed);
  if (text === undefined) return;
  const payload = await call(payloadRow, await setup.request(payloadRow, run));
  if (payload.outcome !== "served") return;
  const output = textAt(payload.json, "payload.output.text");
  const damage = damageOf(text, output);
  judge(payload, "*.runs.output", streamed.replies).satisfies(
    damage === undefined,
    `the text that was streamed, ${showJson(text)}, or another`,
    `${showJson(output)}: ${damage}`,
    "payload.output.text",
  );
}
