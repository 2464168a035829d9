import { SessionService } from "../../../../proto/gen/beta/v1/session_service_pb.js";
import { aroundBeta } from "../../reference/beta/decorate.ts";
import { idText } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

const { createVoiceConnectionTicket } = SessionService.method;

/** How many voice tickets there may be. */
export const voiceTicketVariants: readonly BetaVariant[] = [
  defineBetaVariant({
    id: "one-voice-ticket-a-session",
    says: "issues no voice ticket for a session that has one which has not expired",
    open: ["beta.open.limits"],
    decoration: {
      handlers: aroundBeta(createVoiceConnectionTicket, (next) => (context, request) => {
        const { clock, voiceTickets } = context.world;
        const sessionId = idText(request.sessionId);
        const isLive = [...voiceTickets.values()].some(
          (ticket) => ticket.sessionId === sessionId && ticket.until > clock.now(),
        );
        if (isLive) refuse("FAILED_PRECONDITION", "the session has a live ticket");
        return next(context, request);
      }),
    },
  }),
];
