import type { Implementations } from "../core/implement.ts";
import { artifactHandlers } from "./artifact.ts";
import { catalogHandlers } from "./catalog.ts";
import { fixtureHandlers } from "./fixture.ts";
import { jobHandlers } from "./job.ts";
import { secretHandlers } from "./secret.ts";
import { webhookHandlers } from "./webhook.ts";
import type { AlphaWorld } from "./world.ts";

/** All alpha RPCs. */
export const alphaImplementations: Implementations<AlphaWorld> = [
  ...artifactHandlers,
  ...catalogHandlers,
  ...fixtureHandlers,
  ...jobHandlers,
  ...secretHandlers,
  ...webhookHandlers,
];
