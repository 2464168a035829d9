import { standardParts } from "../core/standard-parts.ts";
import { acceptUpload, checkContent, expire, retention, serveDownload } from "./contents.ts";
import { deliveryBody, destination, subscribers } from "./events.ts";
import type { AlphaParts } from "./parts.ts";
import type { AlphaWorld } from "./world.ts";

/** The parts of an alpha reference without decoration. */
export function standardAlphaParts(): AlphaParts {
  return {
    ...standardParts<AlphaWorld>(),
    servesInProduction: (row) => !row.fixture,
    retention,
    expire,
    acceptUpload,
    checkContent,
    serveDownload,
    subscribers,
    destination,
    deliveryBody,
  };
}
