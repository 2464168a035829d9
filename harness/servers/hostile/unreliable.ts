import { createServer, request as requestHttp } from "node:http";
import type { Effect } from "../../../proto/rpcs.ts";
import { systemClock } from "../reference/core/clock.ts";
import { refuse } from "../reference/core/refusal.ts";
import { startEmbedded } from "../reference/embedded.ts";
import { hostDecorated } from "./decorated.ts";
import type { Hosted } from "./hostile.ts";
import { listen } from "./listening.ts";

/** The references, which answer some of what has an effect otherwise. */
export function hostRefusing(effects: readonly Effect[], reason: "INTERNAL" | "FAILED_PRECONDITION"): Promise<Hosted> {
  return hostDecorated({
    parts: ({ findSubject }) => ({
      findSubject: (context) => {
        if (effects.includes(context.row.effect)) refuse(reason, "not today");
        return findSubject(context);
      },
    }),
  });
}

/** Requests a server serves before it goes away. */
const servedBefore = 60;

/** The references, away for a while once they have served some requests. */
export function hostOutage(lastsMs: number): Promise<Hosted> {
  let [requests, awaySince] = [0, Number.POSITIVE_INFINITY];
  return hostDecorated({
    raw({ socket }, _response, next) {
      requests += 1;
      if (requests === servedBefore) awaySince = performance.now();
      const away = performance.now() - awaySince;
      if (away >= 0 && away < lastsMs) socket.resetAndDestroy();
      else next();
    },
  });
}

/** Every so many of these calls is done, and its reply lost. */
const lostEvery = 4;
const making = /\/(Create(?!.*Link)\w+|RunAsync)$/;

/** The references, which cut the connection now and then in place of answering a call that made something. */
export function hostLosing(): Promise<Hosted> {
  let made = 0;
  return hostDecorated({
    raw({ url = "", socket }, response, next) {
      if (making.test(url)) made += 1;
      if (making.test(url) && made % lostEvery === 0) {
        const lose = () => {
          socket.destroy();
          return response;
        };
        response.end = lose;
        response.write = () => !lose().writable;
      }
      next();
    },
  });
}

/** Three references under one address that know nothing of each other but their keys: each call meets another. */
export async function hostSplitBrain(): Promise<Hosted> {
  const started = Date.now();
  let hasStarted = false;
  // With one seed, and one moment to start at, all of them have the same keys; those of the packages differ.
  const clock = { ...systemClock, now: () => (hasStarted ? systemClock.now() : started) };
  const options = { "alpha.v1": { seed: 11, clock }, "beta.v1": { seed: 12, clock } };
  const all = await Promise.all([startEmbedded(options), startEmbedded(options), startEmbedded(options)]);
  hasStarted = true;
  const fronts = await Promise.all(
    [0, 1, 2].map((address) => {
      let turn = 0;
      const server = createServer((request, response) => {
        turn += 1;
        const { alpha, beta } = all[turn % all.length] ?? {};
        const origin = [alpha?.baseUrl, alpha?.testBaseUrl, beta?.baseUrl][address] ?? "";
        const onward = requestHttp(new URL(request.url ?? "/", origin), {
          method: request.method,
          headers: request.headers,
        });
        onward.on("response", (answer) => answer.pipe(response.writeHead(answer.statusCode ?? 500, answer.headers)));
        for (const side of [onward, response, request]) side.on("error", () => response.destroy());
        response.once("close", () => onward.destroy());
        request.pipe(onward);
      });
      return listen(server);
    }),
  );
  const [base = "", test = "", beta = ""] = fronts.map(({ origin }) => origin);
  const file = all[0]?.file ?? {};
  return {
    file: {
      ...file,
      alpha: { ...file.alpha, baseUrl: base, testBaseUrl: test },
      beta: { ...file.beta, baseUrl: beta },
    },
    close: async () => {
      await Promise.all([...all, ...fronts].map((one) => one.close()));
    },
  };
}
