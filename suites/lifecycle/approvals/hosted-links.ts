import { defineCase } from "../../../harness/case/case.ts";
import { startRun } from "../../../harness/setup/beta/run.ts";
import { settle } from "../../../harness/setup/work.ts";
import { sameJson, showJson, textAt } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { judgeExpiry } from "../artifacts/url-expiry.ts";

const isPageUrl = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

export const link = defineCase({
  id: "lifecycle/hosted-approval-link-is-a-url-that-expires",
  says: "a hosted approval link is an http or https URL that expires after it was issued",
  clauses: ["beta.urls.expire-later", "beta.urls.form", "beta.open.hosted-replay", "beta.open.hosted-page"],
  rpc: "beta.v1.HostedService/CreateHostedApprovalLink",
  async run(context) {
    const { row, setup, call, judge, needs, observe, send } = context;
    const approval = await setup.fresh("approval");
    const request = await setup.request(row, approval);
    const judgeLink = async (reply: Reply) => {
      needs(reply);
      await judgeExpiry(context, reply, "beta.urls.expire-later");
      const { url } = needs(reply);
      judge(reply, "beta.urls.form").satisfies(
        isPageUrl(textAt(needs(reply), "url")),
        "an http or https URL",
        showJson(url),
        "url",
      );
      return url;
    };
    const first = await call(row, request);
    const url = await judgeLink(first);
    const replay = await call(row, request);
    observe(
      "beta.open.hosted-replay",
      replay.outcome !== "served"
        ? `a replay is ${replay.outcome}`
        : sameJson(replay.json.url, url)
          ? "a replay repeats the link"
          : "a replay gives another link, or none",
    );
    // The latest one: another for the same run may end the one before.
    const latest = await judgeLink(await call(row, { ...request, requestId: setup.requestId() }));
    // Whether there is one is not shown; the form of a refusal is for the invariants to judge.
    const idle = await settle(context, await startRun(context, "complete"));
    const none = await call(row, { ...(await setup.request(row, undefined)), ...idle.within, runId: idle.id });
    observe("beta.open.hosted-page", `a hosted link for a run that has ended is ${none.outcome}`);
    if (none.outcome === "served" && sameJson(none.json.url, latest))
      observe("beta.open.hosted-page", "another run of the user has the same hosted link");
    // A link to another host than the target's is not opened.
    const address = textAt({ url: latest ?? "" }, "url");
    if (isPageUrl(address) && new URL(address).origin === new URL(context.target.baseUrlOf(row)).origin) {
      const { response } = await send({ url: address, method: "GET", givenBy: row.name });
      const answer = response === undefined ? "nothing" : `HTTP ${response.status}`;
      observe("beta.open.hosted-page", `a hosted link, opened without a credential, answers ${answer}`);
    }
  },
});
