import { clone, type Message } from "@bufbuild/protobuf";
import { type RpcRow, rpc, serverKeyOf } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import type { CoreParts } from "../../reference/core/parts.ts";
import type { Fault } from "../fault.ts";
import { isolationClause } from "../isolation/tenants.ts";
import type { Guard } from "../late-checks.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** Whom an answer is given to that was found for somebody else: the checks that are made of them, whom it says, what that breaks. */
interface Sharer {
  readonly what: string;
  readonly says: string;
  readonly checks: readonly (Guard | "authenticate")[];
  readonly breaks: "*.auth.required" | "*.auth.scope" | typeof isolationClause;
}

const sharers: readonly Sharer[] = [
  { what: "anybody", says: "anybody", checks: [], breaks: "*.auth.required" },
  {
    what: "keys-of-other-scopes",
    says: "keys without its scope",
    checks: ["authenticate", "authorizeWorkspace", "authorizeApp", "authorizeUser"],
    breaks: "*.auth.scope",
  },
  {
    what: "keys-of-other-workspaces",
    says: "keys of other workspaces",
    checks: ["authenticate", "authorizeScope"],
    breaks: isolationClause,
  },
];

/** What is asked for, whoever asks and under whichever requestId. */
const questionOf = ({ call: { request } }: Context) => JSON.stringify({ ...request, requestId: null });

function check(parts: CoreParts, context: Context, checks: Sharer["checks"]): void {
  for (const guard of checks) {
    if (guard === "authenticate") context.principal = parts.authenticate(context);
    else parts[guard](context);
  }
}

/** Keeps an answer for a time, and gives it to who asks the same after some checks only. */
const caching = (keptMs: number, checks: Sharer["checks"]) =>
  replacing((parts) => {
    const answers = new Map<string, { readonly at: number; readonly reply: Message }>();
    return {
      async pipeline(context, effect) {
        const question = questionOf(context);
        const known = answers.get(question);
        if (known !== undefined && performance.now() - known.at < keptMs) {
          check(parts, context, checks);
          return clone(context.row.output, known.reply);
        }
        const reply = (await parts.pipeline(context, effect)) as Message;
        answers.set(question, { at: performance.now(), reply });
        return reply;
      },
    };
  });

/** How long the store takes: what is asked meanwhile waits for the same answer. */
const storeMs = 10;

/** Answers who asks what is being looked up already with what is found, after some checks only. */
export const joining = (checks: Sharer["checks"], asked = questionOf) =>
  replacing((parts) => {
    const underWay = new Map<string, Promise<Message>>();
    return {
      async pipeline(context, effect) {
        const question = asked(context);
        const other = underWay.get(question);
        if (other !== undefined) {
          check(parts, context, checks);
          return clone(context.row.output, await other);
        }
        return parts.pipeline(context, async () => {
          const found = new Promise<void>((resolve) => setTimeout(resolve, storeMs)).then(effect) as Promise<Message>;
          underWay.set(question, found);
          return found.finally(() => underWay.delete(question));
        });
      },
    };
  });

const readings = [
  "alpha.v1.SecretService/GetSecret",
  "alpha.v1.JobService/ListJobs",
  "beta.v1.SessionService/GetSession",
  "beta.v1.ApprovalService/ListApprovals",
].map(rpc);

/** A key that is answered where keys are not taken is one of another kind, too. */
const entails = (row: RpcRow) => (serverKeyOf(row) === undefined ? ["*.auth.kinds"] : []);

export const shared: readonly Fault[] = sharers.flatMap(({ what, says, checks, breaks }) => [
  ...faultsAt(readings, {
    id: `auth/shares-what-is-under-way-with-${what}`,
    says: `looks up once what is asked several times at once, and answers ${says}, too`,
    breaks,
    entails,
    decorate: joining(checks),
  }),
  ...faultsAt(readings, {
    id: `auth/keeps-answers-for-${what}`,
    says: `keeps an answer for a moment, and gives it to ${says}, too`,
    breaks,
    entails,
    decorate: caching(30, checks),
  }),
]);
