import { defineCase } from "../../../harness/case/case.ts";
import { farFrom, numericVersion } from "../../../harness/setup/integer.ts";
import { instantOf, isDefault, showJson, textAt } from "../../../harness/wire/json.ts";
import { minute } from "../../../harness/wire/nanoseconds.ts";
import { madeAt } from "../artifacts/url-expiry.ts";

export const completed = defineCase({
  id: "lifecycle/oauth-login-is-completed",
  says: "completing a login request, after a try that was refused, returns its id, the return URL, a version and the time of completion",
  clauses: ["beta.oauth.completed", "beta.records.times", "beta.open.oauth-repeat"],
  rpc: "beta.v1.OAuthHandoffService/CompleteOAuthLoginRequest",
  async run(context) {
    const { row, setup, call, judge, needs, observe } = context;
    const login = await setup.fresh("oauth_login_request");
    const request = await setup.request(row, login);
    // A try that is refused, as other cases judge, leaves what the right one comes to.
    const version = String(farFrom(numericVersion(login)));
    await call(row, { ...request, requestId: setup.requestId(), expectedResourceVersion: version });
    const reply = await call(row, request);
    const json = needs(reply);
    judge(reply).shows("oauthLoginRequestId", login.id);
    // Whether it is absolute, or to be resolved where the browser is, is not shown.
    const url = textAt(json, "browserReturnUrl");
    judge(reply).satisfies(
      url !== "" && URL.canParse(url, "https://browser.hallmark.invalid"),
      "a URL, absolute or relative",
      showJson(json.browserReturnUrl),
      "browserReturnUrl",
    );
    judge(reply).satisfies(
      !isDefault(json.resourceVersion),
      "a version",
      showJson(json.resourceVersion),
      "resourceVersion",
    );
    const at = instantOf(json.completedAt);
    judge(reply).satisfies(at !== undefined, "a time", showJson(json.completedAt), "completedAt");
    // Clocks may differ by a minute.
    const near = at === undefined || (at > madeAt(reply) - 2n * minute && at < madeAt(reply) + 2n * minute);
    judge(reply, "beta.records.times").satisfies(
      near,
      "the time of the call",
      showJson(json.completedAt),
      "completedAt",
    );
    const again = await call(row, {
      ...request,
      requestId: setup.requestId(),
      expectedResourceVersion: textAt(json, "resourceVersion"),
    });
    observe("beta.open.oauth-repeat", `completing a completed login request is ${again.outcome}`);
  },
});
