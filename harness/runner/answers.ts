import type { RpcRow } from "../../proto/rpcs.ts";
import type { CallOptions } from "../case/call.ts";
import type { Reply } from "../wire/reply.ts";
import { isEndless } from "./call.ts";
import type { ContextOptions } from "./trace.ts";

/** Whether RPCs answer, as far as is known: what none of the first few calls brought is not waited for by each case that asks. */
export interface Answers {
  /** Why a call is not to be made; undefined where it is. To be asked once for each call. */
  inVain(row: RpcRow): string | undefined;
  note(reply: Reply, call: CallOptions): void;
}

const anAnswer = ({ name }: RpcRow) => `an answer of ${name}`;
const toUndoing = ({ name }: RpcRow) => `an answer of ${name} to who undoes what cases made`;

/** A refusal whose body outran its bound: that says nothing of what comes where nothing is refused. */
const isEndlessRefusal = (reply: Reply) => isEndless(reply) && (reply.exchange.response?.status ?? 0) >= 400;

/** What a run knows of its answers. Undoing what cases made goes on where refusals alone do not come to an end. */
export function createAnswers({ run: { circuits }, isUndoing = false }: ContextOptions): Answers {
  return {
    inVain: (row) => circuits.inVain(isUndoing ? toUndoing(row) : anAnswer(row)),
    note(reply, call) {
      const { exchange, row } = reply;
      const kind = exchange.failure?.kind;
      const isLong = isEndless(reply);
      // What was given up early, or at a time of the case's own, says nothing of how long an answer takes.
      if (!isLong && (kind === "abandoned" || (kind === "timeout" && call.timeoutMs !== undefined))) return;
      const came = !isLong && (kind !== "timeout" || reply.messages.length > 0);
      circuits.ended(anAnswer(row), came);
      if (!isEndlessRefusal(reply)) circuits.ended(toUndoing(row), came);
    },
  };
}
