import { readFileSync } from "node:fs";
import { z } from "zod";
import type { Statement } from "../../reports/attestation.ts";
import { UsageError } from "../target/load.ts";

const subject = z.object({ name: z.string().min(1), digest: z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/) }) });

/** A statement as `hallmark attest` writes it; whoever signs or stores it may have added members. */
const statementSchema = z.object({
  _type: z.literal("https://in-toto.io/Statement/v1"),
  subject: z.array(subject).min(1),
  predicateType: z.literal("https://in-toto.io/attestation/test-result/v0.1"),
  predicate: z.object({
    result: z.enum(["PASSED", "WARNED", "FAILED"]),
    configuration: z.array(subject),
    passedTests: z.array(z.string()),
    warnedTests: z.array(z.string()),
    failedTests: z.array(z.string()),
  }),
});

/** Reads a statement. @throws UsageError with one sentence */
export function readStatement(file: string): Statement {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(
      `${file}: the statement cannot be read (${(error as NodeJS.ErrnoException).code}); check the path.`,
    );
  }
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is no statement: it is not JSON; give what hallmark attest wrote.`);
  }
  const parsed = statementSchema.safeParse(document);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? "it" : issue.path.join(".");
  throw new UsageError(
    `${file} is no statement on test results: ${place}: ${issue?.message}; give what hallmark attest wrote.`,
  );
}
