import type { AlphaDecoration } from "./alpha/world.ts";
import type { ReferenceOptions as ServiceOptions } from "./core/service.ts";

export { around } from "./alpha/decorate.ts";
export type { ApiKey } from "./alpha/keys.ts";
export { type AlphaFacts, type AlphaReference, startAlphaReference } from "./alpha/reference.ts";
export type { AlphaDecoration, AlphaWorld } from "./alpha/world.ts";
export { type Clock, createManualClock, type ManualClock, systemClock } from "./core/clock.ts";

/** How an alpha reference is started. */
export type ReferenceOptions = ServiceOptions<AlphaDecoration>;
