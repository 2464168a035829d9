import type { AlphaDecoration } from "./alpha/world.ts";
import type { BetaDecoration } from "./beta/world.ts";
import type { ReferenceOptions as ServiceOptions } from "./core/service.ts";

export { around } from "./alpha/decorate.ts";
export type { ApiKey } from "./alpha/keys.ts";
export { type AlphaFacts, type AlphaReference, startAlphaReference } from "./alpha/reference.ts";
export type { AlphaDecoration, AlphaWorld } from "./alpha/world.ts";
export { aroundBeta } from "./beta/decorate.ts";
export { type BetaFacts, type BetaReference, startBetaReference } from "./beta/reference.ts";
export type { BetaContext, BetaDecoration, BetaWorld } from "./beta/world.ts";
export { type Clock, createManualClock, type ManualClock, systemClock } from "./core/clock.ts";

/** How an alpha reference is started. */
export type ReferenceOptions = ServiceOptions<AlphaDecoration>;

/** How a beta reference is started. */
export type BetaReferenceOptions = ServiceOptions<BetaDecoration>;
