import { CustomerSecretService } from "../../../../proto/gen/beta/v1/customer_secret_service_pb.js";
import { CustomerUserService } from "../../../../proto/gen/beta/v1/customer_user_service_pb.js";
import { PlatformService } from "../../../../proto/gen/beta/v1/platform_service_pb.js";
import { RunService } from "../../../../proto/gen/beta/v1/run_service_pb.js";
import { isTerminal } from "../../reference/beta/life.ts";
import { idText } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { aroundBeta, type BetaContext, type BetaWorld } from "../../reference/main.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

/** How often a run is written to while it goes on, and how long its artifacts take to be listed, in milliseconds. */
const [touchMs, lateMs] = [2000, 600];

/** Moves the version of a run on until it has ended, and changes nothing else in it. */
function touchAgain(world: BetaWorld, id: string): void {
  world.clock.after(touchMs, () => {
    const run = world.tables.run.find(id)?.record;
    if (run === undefined || isTerminal(run) || world.closing.aborted) return;
    world.tables.run.change(id, {});
    touchAgain(world, id);
  });
}

/** When something was made, in milliseconds: a UUID of version 7 says so. */
const madeAt = (id: string) => Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);

/** Records that calls about something else, or nobody's calls, move on. */
export const movedRecordVariants: readonly BetaVariant[] = [
  defineBetaVariant({
    id: "tokens-move-their-grant",
    says: "moves the version of a grant with each browser token that is issued under it",
    open: ["beta.open.version-step"],
    decoration: {
      handlers: aroundBeta(CustomerUserService.method.issueBrowserToken, (next) => async (context, request) => {
        const issued = await next(context, request);
        const { world } = context as BetaContext;
        world.tables.customer_user.change(idText(request.customerUserId), {});
        return issued;
      }),
    },
  }),
  defineBetaVariant({
    id: "runs-move-all-the-time",
    says: "moves the version of a run every other second while it goes on",
    open: ["beta.open.version-step", "beta.open.transitions"],
    decoration: {
      handlers: aroundBeta(RunService.method.createRun, (next) => async (context, request) => {
        const made = await next(context, request);
        if (made.run !== undefined) touchAgain((context as BetaContext).world, idText(made.run.runId));
        return made;
      }),
    },
  }),
  defineBetaVariant({
    id: "late-artifacts",
    says: "lists the artifacts of a run a while after it has ended",
    open: ["beta.open.consistency"],
    decoration: {
      handlers: aroundBeta(PlatformService.method.listArtifacts, (next) => async (context, request) => {
        const listed = await next(context, request);
        const before = context.world.clock.now() - lateMs;
        const shown = (listed.artifacts ?? []).filter(({ artifactId }) => madeAt(idText(artifactId)) < before);
        return { ...listed, artifacts: shown };
      }),
    },
  }),
  defineBetaVariant({
    id: "rotation-needs-another-value",
    says: "refuses to rotate a secret to the value it has",
    open: ["beta.open.required-fields"],
    decoration: {
      handlers: aroundBeta(CustomerSecretService.method.rotateSecret, (next) => (context, request) => {
        const { world } = context as BetaContext;
        const id = idText(request.secretId);
        const sealed = world.secretValues.get(id);
        const isSame = sealed !== undefined && Buffer.from(request.plaintextValue).equals(world.vault.open(id, sealed));
        if (isSame) refuse("FAILED_PRECONDITION", "the secret has this value already");
        return next(context, request);
      }),
    },
  }),
];
