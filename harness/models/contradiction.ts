import type { JsonObject } from "@bufbuild/protobuf";
import { showJson } from "../wire/json.ts";
import type { Reply } from "../wire/reply.ts";
import type { LoggedStep } from "./step-log.ts";

/** What one reply says of a record: `showed secret.name "a"`, `was served at expectedResourceVersion "1"`. */
export interface Statement {
  /** Undefined for what was there before the first step. */
  readonly reply: Reply | undefined;
  readonly says: string;
}

/** Two replies that cannot both be right. */
export interface Contradiction {
  /** The field they are about: `secret.name`. */
  readonly at: string;
  readonly before: Statement;
  /** What the later of the two says. */
  readonly says: string;
  /** The later of the two, where it shows what the call judged brought about. Default: the reply judged. */
  readonly after?: Reply;
  /** What was between the two. Default: nothing that changed it. */
  readonly between?: string;
}

/** Fields that are shown with their values: the others are counted. */
const maxShown = 3;

/** Fields of a record with their values, each with its path: `secret.name "a", secret.resourceVersion "2"`. */
export function showFieldsAt(path: string, record: JsonObject, names: readonly string[]): string {
  const shown = names.slice(0, maxShown).map((name) => `${path}.${name} ${showJson(record[name])}`);
  const rest = names.length - shown.length;
  return `${shown.join(", ")}${rest === 0 ? "" : ` and ${rest} more that differ`}`;
}

const nothing = "and nothing between changed it";

/** The step that got a reply: `step 2 GetSecret`. */
export function describeStep(reply: Reply | undefined, steps: readonly LoggedStep[]): string {
  if (reply === undefined) return "the set-up";
  const number = steps.findIndex(({ replies }) => replies.includes(reply)) + 1;
  return number === 0 ? reply.row.method : `step ${number} ${reply.row.method}`;
}

/** A contradiction as a sentence: `step 2 GetSecret showed secret.name "a", step 4 ListSecrets …`. */
export function describeContradiction(
  { before, says, after, between = nothing }: Contradiction,
  judged: Reply,
  steps: readonly LoggedStep[],
): string {
  const culprit = `and between them was only ${describeStep(judged, steps)}, which must have no effect`;
  const readings = [
    `${describeStep(before.reply, steps)} ${before.says}`,
    `${describeStep(after ?? judged, steps)} ${says}`,
  ];
  return [...readings, after === undefined || after === judged ? between : culprit].join(", ");
}
