import type { TokenBounds, TokenRequest } from "../../reference/beta/parts.ts";
import type { BetaDecoration } from "../../reference/main.ts";
import { changedReply, inReply, refusedAsFailure } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { drop, laterBy } from "../values.ts";
import { living } from "./token-bounds.ts";

const rpc = "beta.v1.CustomerUserService/IssueBrowserToken";

/** Lets tokens live until another time than was asked for. */
const until = (ends: (bounds: TokenBounds, request: TokenRequest) => number): BetaDecoration => ({
  parts: ({ boundToken }) => ({
    boundToken(context, grant, request) {
      const bounds = boundToken(context, grant, request);
      return { ...bounds, until: ends(bounds, request) };
    },
  }),
});

const asked = ({ lifetimeSeconds }: TokenRequest) => lifetimeSeconds * 1000;

/** Fails where a token comes from an origin it was not issued for. */
const originFails: BetaDecoration = {
  parts: ({ authorizeOrigin }) => ({
    authorizeOrigin(context, principal) {
      try {
        authorizeOrigin(context, principal);
      } catch {
        throw new Error("the origin of a token is not handled");
      }
    },
  }),
};

export const tokenLifetimeFaults: readonly Fault[] = faultsOf("auth", "beta.v1", {
  "*.tokens.lifetime": {
    "IssueBrowserToken-doubles-hours": [
      "lets tokens live twice as long as was asked for where that is more than an hour",
      living((asked) => (asked > 3600 ? 2 * asked : asked)),
    ],
    "IssueBrowserToken-doubles-lifetime": ["lets tokens live twice as long as asked", living((asked) => asked * 2)],
    "IssueBrowserToken-lives-minutes": ["takes seconds for minutes", living((asked) => asked * 60)],
    "IssueBrowserToken-ignores-lifetime": ["lets every token live two hours", living(() => 7200)],
    "IssueBrowserToken-at-least-an-hour": [
      "lets no token live less than an hour",
      living((asked) => Math.max(asked, 3600)),
    ],
    "IssueBrowserToken-seconds-are-an-hour": [
      "lets tokens for less than a minute live an hour",
      living((asked) => (asked < 60 ? 3600 : asked)),
    ],
  },
  "*.tokens.expired": {
    "IssueBrowserToken-outlives-its-expiry": [
      "goes on serving a token after it has expired",
      { ...living((asked) => asked + 3600), ...changedReply(rpc, "expiresAt", laterBy(-3_600_000)) },
    ],
  },
  "*.tokens.lasts": {
    "IssueBrowserToken-lives-a-tenth": [
      "lets tokens live a tenth of what was asked for",
      until((bounds, request) => bounds.until - 0.9 * asked(request)),
    ],
    "IssueBrowserToken-long-lives-only": [
      "lets tokens live a minute, unless an hour or more was asked for",
      until((bounds, request) =>
        asked(request) >= 3_600_000 ? bounds.until : Math.min(bounds.until, bounds.until - asked(request) + 60_000),
      ),
    ],
    "IssueBrowserToken-ends-early": [
      "refuses tokens from three seconds before their expiry on",
      { ...until(({ until: end }) => end - 3000), ...changedReply(rpc, "expiresAt", laterBy(3000)) },
    ],
  },
  "*.errors.client-fault": {
    "ListSessions-foreign-origin-is-a-server-error": [
      "answers a token from an origin it was not issued for as a failure of the server",
      originFails,
    ],
    "IssueBrowserToken-ended-grant-is-a-server-error": [
      "answers a request for a token as a failure of the server once the grant has ended",
      refusedAsFailure("FAILED_PRECONDITION"),
    ],
  },
  "*.urls.expire-later": {
    "IssueBrowserToken-says-no-end-unasked": [
      "does not say when a token ends for which no lifetime was asked",
      {
        reply({ expiresAt, ...json }, { row: { name }, request }) {
          return name === rpc && (request.lifetimeSeconds ?? 0) === 0
            ? json
            : { ...json, ...(expiresAt && { expiresAt }) };
        },
      },
    ],
    "IssueBrowserToken-is-over-already": [
      "gives for the expiry a time before the issue, as a wrong time zone would",
      inReply("expiresAt", laterBy(-7_200_000)),
    ],
    "IssueBrowserToken-says-no-expiry": [
      // The reply lacks a field of its message, as the plain call finds.
      "does not say when a token expires",
      inReply("expiresAt", drop),
      { entails: ["*.endpoints.served"] },
    ],
  },
});
