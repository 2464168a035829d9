import { rpc } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { NotExercised } from "../../target/target.ts";
import { mayMean, type Reply } from "../../wire/reply.ts";
import type { Resource } from "../package.ts";

const row = rpc("beta.v1.OAuthHandoffService/CompleteOAuthLoginRequest");

type LoginRequest = CaseContext["target"]["beta"]["oauthLoginRequests"][number];

function subjectOf({ id, resourceVersion }: LoginRequest): Subject {
  return {
    kind: "oauth_login_request",
    id: { value: id },
    record: {},
    version: resourceVersion,
    changesOnlyByMutation: true,
  };
}

const spentReasons = new Set(["RESOURCE_VERSION_CONFLICT", "FAILED_PRECONDITION", "RESOURCE_NOT_FOUND"]);
const spentCodes = ["aborted", "failed_precondition", "already_exists", "not_found"];

/** Whether a completion is refused as one of a login request that was completed before. */
function isSpent(reply: Reply): boolean {
  if (reply.outcome !== "refused") return false;
  const { error } = reply;
  return error.reason === undefined ? spentCodes.some((code) => mayMean(error, code)) : spentReasons.has(error.reason);
}

/** Whether two refusals give the same reason. */
function isAlike(one: Reply, other: Reply): boolean {
  if (one.outcome !== "refused" || other.outcome !== "refused") return false;
  return one.error.reason === other.error.reason && one.error.code === other.error.code;
}

/**
 * The login requests of the target file that are free. A run spends them, always the first of all: where that is completed
 * already, a run before this one has used them. No RPC shows which are left. A refusal that anybody gets says nothing of that.
 */
async function freeRequests({ call, setup, target }: CaseContext): Promise<LoginRequest[]> {
  const { loginRequests } = target.settings.limits;
  const [first, ...others] = target.beta.oauthLoginRequests.slice(0, loginRequests);
  if (first === undefined) return [];
  const request = await setup.request(row, subjectOf(first));
  const reply = await call(row, request);
  if (!isSpent(reply)) return others;
  return isAlike(reply, await call(row, { ...request, requestId: setup.requestId() }, { as: null })) ? others : [];
}

/** What is left of a target file's login requests: its runs in this process, repetitions among them, spend them together. */
const stocks = new WeakMap<readonly LoginRequest[], Promise<LoginRequest[]>>();

function stockOf(context: CaseContext): Promise<LoginRequest[]> {
  const named = context.target.beta.oauthLoginRequests;
  const known = stocks.get(named);
  if (known !== undefined) return known;
  const stock = context.shared(freeRequests);
  stocks.set(named, stock);
  // What could not be asked is asked anew.
  stock.catch(() => stocks.delete(named));
  return stock;
}

/** OAuth login requests: those the target file names, each good for once. The suite can make none. */
export const oauthLoginRequest: Resource = {
  async create(context) {
    const { random, target } = context;
    const { loginRequests } = target.settings.limits;
    const free = await stockOf(context);
    const [taken] = free.splice(random.integer(0, Math.max(0, free.length - 1)), 1);
    if (taken !== undefined) return subjectOf(taken);
    if (loginRequests !== undefined && loginRequests < target.beta.oauthLoginRequests.length)
      throw new NotExercised("a higher limits.loginRequests", `the ${loginRequests} it allows are used`);
    throw new NotExercised(
      "beta.oauthLoginRequests",
      "login requests that are free to be completed; every run spends some, the first of them always, so give each run fresh ones",
    );
  },
};
