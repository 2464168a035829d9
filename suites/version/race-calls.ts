import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { variedFields } from "../../harness/models/varied-fields.ts";
import { ownDeliveryChoice, showsOwnDelivery } from "../../harness/setup/own-delivery.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { sendTogether } from "../../harness/wire/batch.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { sleep } from "../../harness/wire/sleep.ts";
import { readRowOf } from "../../proto/resources.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";
import { plaintextOf } from "../secrecy/plaintext.ts";

/** Sends a mutation for each of the rows, concurrently and at one version. */
export async function race(context: CaseContext, subject: Subject, rows: readonly RpcRow[]): Promise<readonly Reply[]> {
  const { setup, call } = context;
  const requests = await Promise.all(
    rows.map(async (row, draw) => ({
      ...(await setup.request(row, subject)),
      ...variedFields(context, row, draw, subject),
    })),
  );
  return sendTogether(rows.length, (batch, index) => {
    const rival = rows[index] ?? context.row;
    return call(rival, requests[index] ?? {}, { baseUrl: setup.baseUrl(rival, subject), batch });
  });
}

/**
 * True for a reply to a mutation that changed something of the record: a second revocation may be served without effect, and
 * a redelivery may be a record of its own.
 */
function wins(reply: Reply, { id, version }: Subject): boolean {
  if (reply.outcome !== "served" || showsOwnDelivery(reply, id)) return false;
  return reply.row.effect === Effect.DELETE || versionOf(recordIn(reply)) !== version;
}

/** True for a served reply whose credential is another than a rival's: each issued its own, though no version moved. */
function issuesItsOwn(reply: Reply, rivals: readonly Reply[]): boolean {
  const issued = plaintextOf(reply);
  if (reply.outcome !== "served" || issued === "") return false;
  return rivals.some((rival) => ![issued, ""].includes(plaintextOf(rival)));
}

/** Judges that at most one mutation won. Returns the winner, where there is one. Throws ChosenOtherwise where none can win. */
export function judgeWinner({ judge }: CaseContext, replies: readonly Reply[], subject: Subject): Reply | undefined {
  const winners = replies.filter((reply) => wins(reply, subject) || issuesItsOwn(reply, replies));
  if (winners.length === 0 && replies.some((reply) => showsOwnDelivery(reply, subject.id))) {
    throw new ChosenOtherwise(ownDeliveryChoice);
  }
  const last = winners.at(-1) ?? replies[0];
  if (last === undefined) return undefined;
  const one = judge(last, undefined, winners.slice(0, -1)).satisfies(
    winners.length <= 1,
    `at most one of ${replies.length} mutations at version ${subject.version} succeeds`,
    `${winners.length} did: ${winners.map((reply) => reply.row.method).join(", ")}`,
  );
  return one ? winners[0] : undefined;
}

/** When a race is read, in milliseconds after its start: the first call may have been served, the others are being refused. */
const readDelayMs = 15;

/** Reads the record during the race, where an RPC reads it. */
export async function readDuringRace(
  { setup, row, signal }: CaseContext,
  subject: Subject,
): Promise<Reply | undefined> {
  if (readRowOf(subject.kind, row.package) === undefined) return undefined;
  await sleep(readDelayMs, signal);
  return setup.read(subject);
}
