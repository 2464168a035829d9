import type { Change } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import type { Reply } from "../wire/reply.ts";
import { type Contradiction, describeContradiction } from "./contradiction.ts";
import type { Model, ModelRecord, SentMutation } from "./model.ts";
import type { Patience } from "./patience.ts";
import { formatSteps, type LoggedStep } from "./step-log.ts";
import { currentVersionOf } from "./tracked-record.ts";

/** A judgement under a clause, on the reply that is at fault where it does not hold. */
export interface Judgement {
  readonly reply: Reply;
  readonly clause: string;
  readonly held: boolean;
  readonly expected: string;
  /** What was seen instead; called only where it does not hold. */
  readonly actual?: () => string;
  /** The earlier reply that it contradicts; called only where it does not hold. */
  readonly contradiction?: () => Contradiction;
  /** Replies that show it, beside those of the steps so far. */
  readonly related?: readonly Reply[];
}

/** A served mutation that may be replayed. */
export interface ReplayableMutation extends SentMutation {
  readonly record: ModelRecord;
  readonly creates: boolean;
}

/** One run of commands against the target and the model: the records of the model, the steps so far, and the judgements. */
export interface ModelRun {
  readonly context: CaseContext;
  readonly model: Model;
  readonly patience: Patience;
  readonly records: readonly ModelRecord[];
  /** Records that were called upon since a read last agreed with the model. */
  readonly unverified: Set<ModelRecord>;
  /** Served mutations that may be replayed, in the order they were sent. */
  readonly replayable: ReplayableMutation[];
  /** A judgement did not hold. */
  readonly violated: boolean;
  /** Adds a record to the model. @param reply the one that showed it; none where it was there before the first step */
  track(subject: Subject, reply?: Reply): ModelRecord;
  log(what: string, replies: readonly Reply[]): void;
  judge(judgement: Judgement): void;
}

/** The subject of a record, at its current version of the model. */
export function currentSubject({ subject, tracked }: ModelRecord): Subject {
  return { ...subject, ...currentVersionOf(tracked) };
}

/** Begins a run of commands with no records. */
export function createModelRun(context: CaseContext, model: Model, patience: Patience): ModelRun {
  const records: ModelRecord[] = [];
  const steps: LoggedStep[] = [];
  const unverified = new Set<ModelRecord>();
  let violated = false;
  return {
    context,
    model,
    patience,
    records,
    unverified,
    replayable: [],
    get violated() {
      return violated;
    },
    track(subject, reply) {
      const kind = model.kinds.find((one) => one.kind === subject.kind);
      if (kind === undefined) throw new Error(`the model has no ${subject.kind}`);
      const letter = String.fromCharCode(97 + records.filter((one) => one.kind === kind).length);
      const name = `${kind.kind.replaceAll("_", " ")} ${letter}`;
      const shownBy = reply === undefined ? {} : { reply };
      const versions = [{ version: subject.version, record: subject.record, ...shownBy }];
      const changes = new Set<Change>();
      const tracked = { id: subject.id, name, versions, changes, deleted: false, confirmed: false, noEffectCalls: [] };
      const record: ModelRecord = { tracked, kind, subject };
      records.push(record);
      unverified.add(record);
      return record;
    },
    log: (what, replies) => void steps.push({ what, replies }),
    judge({ reply, clause, held, expected, actual, contradiction: contradictionOf, related = [] }) {
      const earlier = held ? [] : [...new Set([...steps.flatMap(({ replies }) => replies), ...related])];
      const contradiction = held ? undefined : contradictionOf?.();
      const explanation = () => {
        const sentence = contradiction === undefined ? [] : [describeContradiction(contradiction, reply, steps)];
        const said = [...sentence, ...(actual === undefined ? [] : [actual()])].join("; ");
        return `${said}; the steps so far:\n${formatSteps(steps, context.run.secrets)}\n`;
      };
      const judge = context.judge(
        reply,
        clause,
        earlier.filter((one) => one !== reply),
      );
      judge.satisfies(held, expected, held ? "" : explanation(), contradiction?.at);
      violated ||= !held;
    },
  };
}
