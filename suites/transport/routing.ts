import { defineRule } from "../../harness/case/case.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { blindRequest } from "../../harness/setup/filled-request.ts";
import { fullKeyOf } from "../../harness/target/keys.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import type { RpcRow } from "../../proto/rpcs.ts";
import { isReadOnly } from "../../proto/rpcs.ts";
import { type Attempt, judgeRefusals, untilServed } from "../common/refusals.ts";
import { isServerError } from "../common/server-error.ts";

/** The row's path with one letter in the other case. */
function recased(row: RpcRow, part: "service" | "method"): string {
  const name = part === "service" ? row.service : row.method;
  const at = row.path.lastIndexOf(part === "service" ? `.${name}/` : `/${name}`) + 1;
  const letter = row.path.charAt(at);
  return row.path.slice(0, at) + letter.toLowerCase() + row.path.slice(at + 1);
}

const unknownRpc = "connect.request.unknown-rpc";

/** Requests to paths of no RPC. */
function unknownPaths(row: RpcRow): readonly Attempt[] {
  const attempt = (path: string, because: string, clause: string): Attempt => ({
    because,
    clause,
    options: { path, foreign: true },
  });
  return [
    attempt(recased(row, "method"), "a letter of the method's name is in the other case", "connect.request.path"),
    attempt(recased(row, "service"), "a letter of the service's name is in the other case", "connect.request.path"),
    attempt(`${row.path}OfNobody`, "the service has no such method", unknownRpc),
    attempt(`/${row.package}.NobodysService/${row.method}`, "the package has no such service", unknownRpc),
  ];
}

/** Judges the refusal of an unknown RPC by CP-U-30: not a server error, and 404, 501 or the code unimplemented. */
function judgeUnknown(judge: (reply: Reply, clause: string) => { satisfies: Satisfies }, reply: Reply): void {
  if (reply.outcome !== "refused") return;
  const actual = describeReply(reply);
  judge(reply, unknownRpc).satisfies(!isServerError(reply), "no server error", actual);
  const { status, code } = reply.error;
  judge(reply, "connect.request.unknown-rpc-answer").satisfies(
    isServerError(reply) || status === 404 || status === 501 || code === "unimplemented",
    "HTTP 404, or the code unimplemented",
    actual,
  );
}

type Satisfies = (condition: boolean, expected: string, actual: string) => boolean;

export const ownPath = defineRule({
  id: "transport/wrong-path-or-http-method-runs-nothing",
  says: "a request to a path in another letter case, to an unknown method or service, or with another HTTP method runs no RPC",
  clauses: [
    "connect.request.path",
    unknownRpc,
    "connect.request.unknown-rpc-answer",
    "connect.request.method",
    "*.endpoints.served",
  ],
  rows: () => true,
  async run(context) {
    const { row, setup, judge } = context;
    const replies = await judgeRefusals(context, (valid) => {
      const clause = "connect.request.method";
      const asGet = new URLSearchParams({ connect: "v1", encoding: "json", message: JSON.stringify(valid) });
      const get: Attempt = {
        because: "it is a GET, and the RPC changes something",
        clause,
        options: {
          method: "GET",
          path: `${row.path}?${asGet.toString().replaceAll("+", "%20")}`,
          headers: [["content-type", ""]],
          foreign: true,
        },
      };
      const put: Attempt = { because: "it is a PUT", clause, options: { method: "PUT", foreign: true } };
      const id = row.requestId?.name;
      return [...unknownPaths(row), put, ...(isReadOnly(row) || row.stream ? [] : [get])].map((attempt) => ({
        ...attempt,
        changes: id === undefined ? {} : { [id]: setup.requestId() },
      }));
    });
    for (const reply of replies.slice(2, 4)) judgeUnknown(judge, reply);
  },
});

/**
 * Needs no credential: a server that answers all of these the same has no RPC at that path, and one that serves an unknown
 * path is no Connect server. What the known path answers is judged by other cases.
 */
export const distinguishable = defineRule({
  id: "transport/rpc-is-distinguishable-from-unknown-paths",
  says: "the RPC's path is answered differently from unknown paths, other HTTP methods and unknown codecs",
  clauses: [unknownRpc, "connect.request.method", "connect.request.codec"],
  differential: true,
  rows: () => true,
  async run({ row, call, setup, judge, target }) {
    const as = fullKeyOf(target.settings, row.package) === undefined ? null : undefined;
    const request = () => blindRequest(row, setup.requestId);
    const codec = row.stream ? "application/connect+foo" : "application/foo";
    const usual = { as, foreign: true, ...untilServed(row) };
    const [known, unknown, put, foreign] = await Promise.all([
      call(row, request(), usual),
      call(row, request(), { ...usual, path: `${row.path}OfNobody` }),
      call(row, request(), { ...usual, method: "PUT" }),
      call(row, request(), { ...usual, headers: [["content-type", codec]] }),
    ]);
    judge(unknown, unknownRpc).isRefused({ because: "the service has no such method" });
    // A server may ask for the credential before it says that there is no such method.
    if (as === undefined) judgeUnknown(judge, unknown);
    else judge(unknown, unknownRpc).satisfies(!isServerError(unknown), "no server error", describeReply(unknown));
    judge(put, "connect.request.method").isRefused({ because: "it is a PUT" });
    judge(foreign, "connect.request.codec").isRefused({ because: `the server cannot know ${codec}` });
    // A connection that broke tells nothing apart.
    const answers = [known, unknown, put, foreign].filter(({ outcome }) => outcome !== "broken").map(answerOf);
    if (new Set(answers).size <= 1) {
      const what = answers[0] ?? "no answer";
      throw new Unproven(`the target answers every request the same (${what}), whether it is for an RPC or not`);
    }
  },
});

function answerOf(reply: Reply): string {
  return reply.outcome === "refused" ? `HTTP ${reply.error.status} ${reply.error.code}` : describeReply(reply);
}
