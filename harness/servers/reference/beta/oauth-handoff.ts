import {
  CompleteOAuthLoginRequestResponseSchema,
  OAuthHandoffService,
} from "../../../../proto/gen/beta/v1/oauth_handoff_service_pb.js";
import { idText } from "../core/fields.ts";
import { subjectOf } from "../core/implement.ts";
import { refuse } from "../core/refusal.ts";
import { timestamp } from "../core/times.ts";
import { implement } from "./messages.ts";

export const oauthHandoffHandlers = implement(OAuthHandoffService, {
  completeOAuthLoginRequest(context) {
    const { world } = context;
    const request = subjectOf(context, CompleteOAuthLoginRequestResponseSchema);
    const id = idText(request.oauthLoginRequestId);
    if (request.completedAt === undefined) {
      return world.tables.oauth_login_request.change(id, { completedAt: timestamp(world.clock.now()) });
    }
    if (world.choices.completedAgain === "unchanged") return request;
    refuse("FAILED_PRECONDITION", "the login request is completed already");
  },
});
