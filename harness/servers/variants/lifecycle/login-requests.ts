import { isMessage } from "@bufbuild/protobuf";
import {
  CompleteOAuthLoginRequestResponseSchema,
  OAuthHandoffService,
} from "../../../../proto/gen/beta/v1/oauth_handoff_service_pb.js";
import { aroundBeta } from "../../reference/beta/decorate.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

const { completeOAuthLoginRequest } = OAuthHandoffService.method;

/** Login requests: each is completed once, by whichever run comes first. */
export const loginRequestVariants: readonly BetaVariant[] = [
  defineBetaVariant({
    id: "login-requests-spent",
    says: "is described with login requests that a run before this one has completed",
    open: ["beta.open.oauth-repeat"],
    permits: ["not-exercised"],
    decoration: {
      handlers: aroundBeta(completeOAuthLoginRequest, () => () => {
        refuse("RESOURCE_VERSION_CONFLICT", "the login request has changed");
      }),
    },
  }),
  defineBetaVariant({
    id: "completed-again-at-any-version",
    says: "answers the first completion again to whoever completes a login request for the same user, whatever version is expected",
    open: ["beta.open.oauth-repeat"],
    decoration: {
      choices: { completedAgain: "unchanged" },
      parts: ({ checkVersion }) => ({
        checkVersion(context) {
          const { subject } = context;
          if (!isMessage(subject, CompleteOAuthLoginRequestResponseSchema) || subject.completedAt === undefined)
            checkVersion(context);
        },
      }),
    },
  }),
  defineBetaVariant({
    id: "return-url-is-relative",
    says: "returns the path of the address to return to, without its host",
    open: ["beta.open.oauth-repeat"],
    decoration: {
      handlers: aroundBeta(completeOAuthLoginRequest, (next) => async (context, request) => {
        const reply = await next(context, request);
        const { pathname, search } = new URL(reply.browserReturnUrl);
        return { ...reply, browserReturnUrl: pathname + search };
      }),
    },
  }),
];
