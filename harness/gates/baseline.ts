import { readFileSync } from "node:fs";
import { parseDocument } from "yaml";
import { z } from "zod";
import { packageNames, rpcs } from "../../proto/rpcs.ts";
import type { Case } from "../case/case.ts";
import { planInstances } from "../case/plan.ts";
import { matchesAny } from "../case/selection.ts";
import { UsageError } from "../target/load.ts";

/** A failure that is known, and let pass until a day. */
const entrySchema = z.strictObject({
  case: z.string().min(1).describe("Case id; * stands for anything."),
  rpc: z.string().min(1).describe("RPC the case is about; * stands for anything."),
  reason: z.string().min(1).describe("Why it fails, as the run says it: another reason is another failure."),
  link: z.url({ error: "must be a URL: where the failure is tracked" }),
  expires: z.iso.date({ error: "must be a day, YYYY-MM-DD" }),
  intermittent: z
    .strictObject({ seen: z.int().min(0), of: z.int().min(1) })
    .refine(({ seen, of }) => seen <= of, { error: "must not be seen more often than there were runs" })
    .optional()
    .describe("It fails at times: seen in so many of so many runs. That it holds is then no reason to remove it."),
  seed: z
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .optional()
    .describe("The seed it fails at: that it holds at others is no reason to remove it."),
  most: z.int().min(1).max(25).optional().describe("Failures an entry with * may cover."),
});

const baselineSchema = z.strictObject({
  format: z.literal("hallmark-baseline/1", { error: 'must be "hallmark-baseline/1"' }),
  known: z.array(entrySchema),
});

/** A known failure: which case on which RPC, why, where it is tracked, and until when it is let pass. */
export type BaselineEntry = z.output<typeof entrySchema>;
/** The known failures of a target. */
export type Baseline = z.output<typeof baselineSchema>;

/** Failures one entry with `*` covers at most, where it does not say. */
export const usualMost = 10;

/**
 * Reads a baseline, YAML or JSON.
 * @throws UsageError with one sentence naming the entry and the cure
 */
export function readBaseline(file: string): Baseline {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${file}: the baseline cannot be read (${code}); check the path.`);
  }
  return parseBaseline(text, file);
}

/** Reads the text of a baseline. @throws UsageError naming the entry and the cure */
export function parseBaseline(text: string, file: string): Baseline {
  const document = parseDocument(text);
  if (document.errors.length > 0) throw new UsageError(`${file}: it is neither YAML nor JSON; correct it.`);
  const parsed = baselineSchema.safeParse(document.toJS());
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
  const keys = issue?.code === "unrecognized_keys" ? ` (${issue.keys.join(", ")})` : "";
  throw new UsageError(
    `${file}: ${place === "" ? "the file" : (place?.slice(1) ?? "")} ${issue?.message ?? "is wrong"}${keys}; see docs/gating.md.`,
  );
}

/**
 * Checks that every entry names something there is.
 * @throws UsageError naming an entry no case and RPC fits
 */
export function checkBaseline({ known }: Baseline, cases: readonly Case[], file: string): void {
  const planned = planInstances(cases, packageNames);
  for (const entry of known) {
    const at = `${entry.case} at ${entry.rpc}`;
    const fits = fitsEntry(entry);
    if (planned.some(({ case: one, row }) => fits(one.id, row.name))) continue;
    const isRpc = rpcs.some(({ name }) => matchesAny([entry.rpc])(name));
    const why = isRpc ? "no case of this id is about it" : "there is no such RPC";
    throw new UsageError(`${file}: the entry ${at} is unknown: ${why}; correct or remove it.`);
  }
}

/** True for the cases and RPCs an entry speaks of. */
export function fitsEntry(entry: Pick<BaselineEntry, "case" | "rpc">): (id: string, rpc: string) => boolean {
  const [isCase, isRpc] = [matchesAny([entry.case]), matchesAny([entry.rpc])];
  return (id, rpc) => isCase(id) && isRpc(rpc);
}

/** True for an entry that may cover more than one failure. */
export function isWild(entry: Pick<BaselineEntry, "case" | "rpc">): boolean {
  return entry.case.includes("*") || entry.rpc.includes("*");
}
