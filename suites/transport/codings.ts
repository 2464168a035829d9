import { defineRule } from "../../harness/case/case.ts";
import { headerOf } from "../../harness/wire/exchange.ts";
import { describeReply, mayMean, type Reply } from "../../harness/wire/reply.ts";
import { Effect } from "../../proto/rpcs.ts";
import { callCurrent } from "../common/current-call.ts";

function answer(reply: Reply): string {
  return reply.outcome === "refused" ? `HTTP ${reply.error.status} ${reply.error.code}` : describeReply(reply);
}

export const emptyCoded = defineRule({
  id: "transport/empty-body-is-not-decompressed",
  says: "a request without a body is answered the same whether it names a content coding or not",
  clauses: ["connect.request.empty-coded"],
  rows: (row) => row.effect === Effect.LIST,
  async run(context) {
    const { row, setup, needs, judge } = context;
    const subject = await setup.subjectOf(row);
    needs(await callCurrent(context, subject));
    const empty = (coding: string) =>
      callCurrent(context, subject, { body: "", headers: [["content-encoding", coding]], foreign: true });
    const [plain, coded] = [await empty(""), await empty("gzip")];
    // A server that understands no coding refuses it without a look at the body.
    if (coded.outcome === "refused" && (mayMean(coded.error, "unimplemented") || coded.error.status === 415)) {
      judge(coded).isRefused();
      return;
    }
    judge(coded, undefined, [plain]).satisfies(
      answer(coded) === answer(plain),
      `as without a coding: ${answer(plain)}`,
      answer(coded),
    );
  },
});

const codingOf = ({ exchange }: Reply) => headerOf(exchange.response?.headers ?? [], "content-encoding") ?? "identity";

export const preferred = defineRule({
  id: "transport/first-offered-coding-is-preferred",
  says: "where a server knows two codings, a reply has the one that the client names first, or none",
  clauses: ["connect.coding-preferred"],
  rows: (row) => row.effect === Effect.LIST,
  async run(context) {
    const { row, setup, needs, judge } = context;
    const subject = await setup.subjectOf(row);
    const offering = (codings: string) => callCurrent(context, subject, { headers: [["accept-encoding", codings]] });
    const codings = ["gzip", "br"] as const;
    const [one, other] = [await offering(codings.join(", ")), await offering(codings.toReversed().join(", "))];
    needs(one);
    needs(other);
    const [first, second] = [codingOf(one), codingOf(other)];
    // The same coding for both offers: of a server that knows the other as well it is not the one preferred.
    const fixed = first === second && first !== "identity";
    const neglected = codings.find((coding) => coding !== first) ?? "";
    const known = fixed && codingOf(await offering(neglected)) === neglected;
    judge(other, undefined, [one]).satisfies(
      !known,
      "the coding that is named first",
      `${first} for both orders, though ${neglected} is known`,
    );
  },
});
