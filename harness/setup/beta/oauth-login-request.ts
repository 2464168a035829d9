import { NotExercised } from "../../target/target.ts";
import type { Resource } from "../package.ts";

/** OAuth login requests: those the target file names, each good for once. The suite can make none. */
export const oauthLoginRequest: Resource = {
  async create({ random, run, target }) {
    const all = target.beta.oauthLoginRequests;
    const { loginRequests } = target.settings.limits;
    const free = await run.once("beta login requests", async () => [...all].slice(0, loginRequests));
    // Any of them: what a run before this one completed is not met first again.
    const [taken] = free.splice(random.integer(0, Math.max(0, free.length - 1)), 1);
    if (taken === undefined && loginRequests !== undefined && loginRequests < all.length)
      throw new NotExercised("a higher limits.loginRequests", `the ${loginRequests} it allows are used`);
    if (taken === undefined)
      throw new NotExercised("beta.oauthLoginRequests", "a login request that is free to be completed");
    return {
      kind: "oauth_login_request",
      id: { value: taken.id },
      record: {},
      version: taken.resourceVersion,
      changesOnlyByMutation: true,
    };
  },
};
