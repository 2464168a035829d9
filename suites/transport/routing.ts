import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule, rowsNamed } from "../../harness/case/case.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { blindRequest } from "../../harness/setup/filled-request.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { fullKeyOf } from "../../harness/target/keys.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import { isReadOnly, type RpcRow } from "../../proto/rpcs.ts";
import { untilServed } from "../common/current-call.ts";
import { type Attempt, judgeRefusals } from "../common/refusals.ts";
import { isServerError } from "../common/server-error.ts";
import { byGet, otherMethods, post } from "./http-methods.ts";

/** The row's path with one letter in the other case. */
function recased(row: RpcRow, part: "service" | "method"): string {
  const name = part === "service" ? row.service : row.method;
  const at = row.path.lastIndexOf(part === "service" ? `.${name}/` : `/${name}`) + 1;
  const letter = row.path.charAt(at);
  return row.path.slice(0, at) + letter.toLowerCase() + row.path.slice(at + 1);
}

const unknownRpc = "connect.request.unknown-rpc";

/** The row's path without the version, or with one that nobody has: rows take turns. */
function unversioned(row: RpcRow): string {
  const version = row.peers.indexOf(row) % 2 === 0 ? "" : ".v999";
  return row.path.replace(/\.v\d+(?=\.)/, version);
}

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
    attempt(unversioned(row), "the path has another version of the package, or none", unknownRpc),
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
  says: "a request to a path in another letter case, to an unknown method, service or version, or with another HTTP method runs no RPC",
  clauses: [
    "connect.request.path",
    unknownRpc,
    "connect.request.unknown-rpc-answer",
    post,
    "connect.request.method",
    "*.endpoints.served",
  ],
  rows: () => true,
  smoke: rowsNamed("alpha.v1.SecretService/ListSecrets"),
  async run(context) {
    const { row, setup, call, judge } = context;
    const plan = async (valid: JsonObject, subject: Subject | undefined) => {
      const fresh = () => ({ ...valid, ...freshRequestId(row, setup) });
      // What a HEAD is answered is for frameworks to say: of a mutation it only must have no effect.
      const head = isReadOnly(row) ? undefined : byGet(row, fresh());
      if (head !== undefined) await call(row, {}, { ...head, method: "HEAD", baseUrl: setup.baseUrl(row, subject) });
      return [
        ...unknownPaths(row).map((attempt) => ({ ...attempt, changes: freshRequestId(row, setup) })),
        ...otherMethods(row, fresh),
      ];
    };
    const replies = await judgeRefusals(context, plan, {
      oddForm: true,
      ...(!isReadOnly(row) && { effectClause: post }),
    });
    for (const reply of replies.slice(2, unknownPaths(row).length)) judgeUnknown(judge, reply);
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
