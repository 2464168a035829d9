import { followLog } from "../core/event-log.ts";
import { standardParts } from "../core/standard-parts.ts";
import { authenticate, authorizeOrigin, authorizePermission, authorizeScope, isLive } from "./authorize.ts";
import { argumentDigest, decide } from "./decisions.ts";
import { deliveryBody, destination, subscribers } from "./events.ts";
import type { BetaParts } from "./parts.ts";
import { stateEvent, textEvent } from "./progress.ts";
import { remember } from "./recall.ts";
import { findSubject, findUser, requireTools } from "./subject.ts";
import { boundToken } from "./tokens.ts";
import { takeTicket } from "./voice.ts";
import { allowsTool, settledCost } from "./worker.ts";
import type { BetaWorld } from "./world.ts";

/** The parts of a beta reference without decoration. */
export function standardBetaParts(): BetaParts {
  return {
    ...standardParts<BetaWorld>(),
    authenticate,
    authorizeScope,
    findSubject,
    isLive,
    authorizeOrigin,
    authorizePermission,
    findUser,
    requireTools,
    boundToken,
    stateEvent,
    textEvent,
    follow: followLog,
    allowsTool,
    settledCost,
    remember,
    argumentDigest,
    decide,
    takeTicket,
    subscribers,
    destination,
    deliveryBody,
  };
}
