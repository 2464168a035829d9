import { UsageError } from "../target/load.ts";
import { BrokenChain, type Unsealed, unseal } from "./chain.ts";
import {
  type CaseEvent,
  type EvidenceEvent,
  type EvidenceFooter,
  type EvidenceHeader,
  type ExchangeEvent,
  eventSchema,
  type SecretEvent,
} from "./events.ts";
import { linesOf } from "./lines.ts";

/** Evidence, read back whole and unedited. */
export interface Evidence {
  readonly header: EvidenceHeader;
  readonly cases: readonly CaseEvent[];
  /** Exchanges and secrets in the order the invariants saw them. */
  readonly seen: readonly (ExchangeEvent | SecretEvent)[];
  readonly footer: EvidenceFooter;
  /** Hash of the last line: it stands for all of them. */
  readonly head: string;
}

/** An exchange as a line begins it: those of a long run are passed over unread where only its outcome is asked for. */
const exchangeBegins = '{"type":"exchange",';

/**
 * Reads the evidence of a run, line by line.
 * @param parts with `outcome`, exchanges and secrets are counted and left out
 * @throws UsageError with one sentence: it cannot be read, was edited, or is not whole
 */
export function readEvidence(file: string, parts: "everything" | "outcome" = "everything"): Evidence {
  const refuse = (why: string) =>
    new UsageError(`${file} is refused as evidence: ${why}; judge the file a run wrote, as it wrote it.`);
  try {
    const lines = linesOf(file, () => {
      throw refuse("its last line is cut short");
    });
    return gather(unseal(lines), parts, refuse);
  } catch (error) {
    if (error instanceof BrokenChain) throw refuse(error.message);
    const { syscall, code } = error as NodeJS.ErrnoException;
    if (syscall !== undefined) throw new UsageError(`${file}: the evidence cannot be read (${code}); check the path.`);
    throw error;
  }
}

function gather(
  lines: Iterable<Unsealed>,
  parts: "everything" | "outcome",
  refuse: (why: string) => UsageError,
): Evidence {
  const cases: CaseEvent[] = [];
  const seen: (ExchangeEvent | SecretEvent)[] = [];
  let header: EvidenceHeader | undefined;
  let last: EvidenceEvent | undefined;
  let head = "";
  let exchanges = 0;
  let strays = 0;
  for (const { body, hash } of lines) {
    head = hash;
    if (last?.type === "footer") strays += 1;
    const isPassedOver = parts === "outcome" && header !== undefined && body.startsWith(exchangeBegins);
    const event: EvidenceEvent | undefined = isPassedOver ? undefined : checked(JSON.parse(body), refuse);
    last = event;
    if (header === undefined) {
      if (event?.type !== "header") break;
      header = event;
    } else if (event === undefined || event.type === "exchange") exchanges += 1;
    else if (event.type === "case") cases.push(event);
    else if (event.type === "header") strays += 1;
    if (parts === "everything" && (event?.type === "exchange" || event?.type === "secret")) seen.push(event);
  }
  if (header === undefined) throw refuse("it does not begin with the header of a run");
  if (last?.type !== "footer") throw refuse("it has no footer: the run did not come to its end, or the end is missing");
  if (strays > 0) throw refuse("a second header or footer stands in it");
  if (cases.length !== last.counts.cases || exchanges !== last.counts.exchanges) {
    throw refuse("it does not have the cases and exchanges its footer counts");
  }
  return { header, cases, seen: seen.toSorted((a, b) => a.order - b.order), footer: last, head };
}

function checked(event: unknown, refuse: (why: string) => UsageError): EvidenceEvent {
  const parsed = eventSchema.safeParse(event);
  if (!parsed.success) throw refuse("it holds an event of no known form");
  return parsed.data as unknown as EvidenceEvent;
}
