import type { JsonObject } from "@bufbuild/protobuf";
import type { Reason } from "../core/refusal.ts";
import type { ToolName } from "./apps.ts";

/** One thing the scripted app does in a run. */
export type Step =
  | { readonly do: "say"; readonly text: string }
  | { readonly do: "call"; readonly tool: ToolName; readonly arguments: JsonObject; readonly brief?: true }
  | { readonly do: "remember" }
  | { readonly do: "attach"; readonly filename: string; readonly mediaType: string; readonly text: string }
  | { readonly do: "wait" };

/** How a run ends once its steps are done. */
export type Ending =
  | { readonly as: "succeeded" }
  | { readonly as: "failed"; readonly reason: Reason; readonly message: string }
  /** What the provider charged cannot be proved. */
  | { readonly as: "unverified" }
  /** Nobody can tell whether the provider did its work. */
  | { readonly as: "unknown" };

/** What the app does with one input. */
export interface Script {
  readonly steps: readonly Step[];
  readonly ending: Ending;
}

/** Inputs that make the app do something of note; the first word counts. Any other input completes. */
export const runInputs = {
  complete: "complete the task",
  fail: "fail the task",
  slow: "slow task, please",
  approval: "approval is needed for this transfer",
  expiring: "expiring approval, asked for and left alone",
  artifact: "artifact files, please",
  memory: "memory of this, please",
  unknown: "unknown outcome",
  tool: "tool call, please",
  long: "long story, please",
  unsupported: "unsupported tool call",
  unverified: "unverified costs",
} as const;

const succeeded: Ending = { as: "succeeded" };

const say = (text: string): Step => ({ do: "say", text });
const transfer: Extract<Step, { do: "call" }> = {
  do: "call",
  tool: "transfer_money",
  arguments: { amount: "12.50", to: "ACC-1001" },
};

function ask(what: Step, after: string): readonly Step[] {
  return [say("Let me see what can be done. "), what, say(after)];
}

/** What the app does with `text`. */
export function scriptOf(text: string): Script {
  const odd = text.match(/\P{ASCII}+/gu)?.join(" ");
  const among = odd === undefined ? "" : `, with ${odd} among them`;
  const summary = `You wrote ${[...text].length} characters${among}, and this is all there is to say about them.`;
  switch (/^\w*/.exec(text)?.[0]) {
    case "fail":
      return {
        steps: [say("This will not go well. ")],
        ending: { as: "failed", reason: "FAILED_PRECONDITION", message: "the input asks for a failure" },
      };
    case "slow":
      return { steps: [say("This may take a while. "), { do: "wait" }, say(summary)], ending: succeeded };
    case "approval":
      return { steps: ask(transfer, "The transfer is on its way."), ending: succeeded };
    case "expiring":
      return { steps: ask({ ...transfer, brief: true }, "The transfer is on its way."), ending: succeeded };
    case "artifact":
      return {
        steps: [
          { do: "attach", filename: "report.txt", mediaType: "text/plain", text: `The report.\n${summary}\n` },
          { do: "attach", filename: "figures.csv", mediaType: "text/csv", text: "name,value\nfirst,1\nsecond,2\n" },
          say("The files are ready."),
        ],
        ending: succeeded,
      };
    case "memory":
      return { steps: [{ do: "remember" }, say("This is worth keeping in mind.")], ending: succeeded };
    case "unknown":
      return { steps: [say("Nobody knows how this ends. ")], ending: { as: "unknown" } };
    case "tool":
      return {
        steps: ask(
          { do: "call", tool: "look_up_order", arguments: { order: "A-17" } },
          "The order left the house yesterday.",
        ),
        ending: succeeded,
      };
    case "long":
      return {
        steps: [say(Array.from({ length: 100 }, (_, index) => `word${index + 1} `).join("")), say("The end.")],
        ending: succeeded,
      };
    case "unsupported":
      return {
        steps: ask({ do: "call", tool: "send_fax", arguments: { to: "+1-555-0100" } }, "Sent."),
        ending: succeeded,
      };
    case "unverified":
      return { steps: [say("The bill will be a surprise. ")], ending: { as: "unverified" } };
    default:
      return { steps: [say("Here is what came of it. "), say(summary)], ending: succeeded };
  }
}

/** A text in the pieces its events carry. Put together they are the text again. */
export function piecesOf(text: string, size: "words" | "characters" | "whole text"): readonly string[] {
  if (size === "whole text") return [text];
  return size === "characters" ? [...text] : (text.match(/\S+\s*/g) ?? []);
}
