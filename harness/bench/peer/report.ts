import { z } from "zod";

/** What is read of the JSON report of a Schemathesis 4 run. */
const reportSchema = z.object({
  schemathesis_version: z.string().startsWith("4."),
  complete: z.boolean(),
  errors: z.array(z.object({ title: z.string() })),
});

/** The failures of a run, as its baseline file lists them: each once, without what differs from run to run. */
const baselineSchema = z.object({
  entries: z.array(z.object({ operation: z.string(), check: z.string(), failure: z.string(), signature: z.string() })),
});

/** Errors that a server brings about; others are of the document, or of the tool: that it has no links to follow. */
const isOfServer = /network|timeout|connection/i;

/** What a run of the peer reports. */
export interface PeerReport {
  readonly version: string;
  /** False where it gave up. */
  readonly complete: boolean;
  /** `POST /path check Failure signature`, or `error TITLE` where a server kept a test from being carried out. */
  readonly findings: readonly string[];
}

/**
 * Reads what a run of the peer wrote.
 *
 * @param report its JSON report
 * @param baseline the baseline file it wrote; undefined where it had nothing to write
 * @throws Error where either is not what version 4 writes
 */
export function readPeerReport(report: string, baseline: string | undefined): PeerReport {
  const { schemathesis_version: version, complete, errors } = reportSchema.parse(JSON.parse(report));
  const { entries } = baseline === undefined ? { entries: [] } : baselineSchema.parse(JSON.parse(baseline));
  return {
    version,
    complete,
    findings: [
      ...entries.map(({ operation, check, failure, signature }) => `${operation} ${check} ${failure} ${signature}`),
      ...errors.filter(({ title }) => isOfServer.test(title)).map(({ title }) => `error ${title}`),
    ],
  };
}
