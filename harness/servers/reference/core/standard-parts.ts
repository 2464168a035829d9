import { admit } from "./admission.ts";
import {
  authenticate,
  authorizeApp,
  authorizeKind,
  authorizeScope,
  authorizeUser,
  authorizeWorkspace,
} from "./authorize.ts";
import type { World } from "./context.ts";
import { postDelivery, signDelivery } from "./delivery-request.ts";
import { describeRefusal } from "./errors.ts";
import { idempotencyKey, serveOnce } from "./idempotency.ts";
import { decodeCursor, encodeCursor, pageSize } from "./paging.ts";
import type { CoreParts } from "./parts.ts";
import { runPipeline } from "./pipeline.ts";
import { checkVersion, findSubject } from "./subject.ts";
import { validate } from "./validate.ts";
import { watch } from "./watch.ts";

/** The parts of a reference without decoration. */
export function standardParts<W extends World>(): CoreParts<W> {
  return {
    pipeline: runPipeline,
    authenticate,
    authorizeKind,
    authorizeScope,
    authorizeWorkspace,
    authorizeApp,
    authorizeUser,
    admit,
    validate,
    idempotent: serveOnce,
    idempotencyKey,
    findSubject,
    checkVersion,
    describe: describeRefusal,
    pageSize,
    encodeCursor,
    decodeCursor,
    firstVersion: (world) => world.choices.versionStart,
    nextVersion: (world, current) => current + world.choices.versionStep,
    watch,
    signDelivery,
    postDelivery,
  };
}
