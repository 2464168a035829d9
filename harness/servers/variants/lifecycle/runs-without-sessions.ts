import { create } from "@bufbuild/protobuf";
import { SessionSchema, SessionState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { RunService } from "../../../../proto/gen/beta/v1/run_service_pb.js";
import { aroundBeta } from "../../reference/beta/decorate.ts";
import { ownerFields, uuid } from "../../reference/beta/messages.ts";
import { idText } from "../../reference/core/fields.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

const { createRun } = RunService.method;

/** Runs that are begun without naming a session: whether one has to be named is not shown. */
export const sessionlessRunVariants: readonly BetaVariant[] = [
  defineBetaVariant({
    id: "runs-without-a-session",
    says: "begins a run that names no session outside of any, so that its record names none either",
    open: ["beta.open.required-fields"],
    decoration: {
      parts: ({ validate }) => ({
        validate(context) {
          const { row } = context;
          const ids = row.ids.filter(({ facts }) => facts.names !== "session");
          validate(row.method === "CreateRun" ? { ...context, row: { ...row, ids } } : context);
        },
      }),
      handlers: aroundBeta(createRun, (next) => async (context, request) => {
        if (idText(request.sessionId) !== "") return next(context, request);
        const { tables, newId } = context.world;
        const { appVersionId = uuid("") } = request;
        // The reference begins runs in sessions: this one is there until the run has begun, and nobody hears of it.
        const sessionId = uuid(newId());
        const owner = ownerFields(context.tenant);
        tables.session.add(create(SessionSchema, { sessionId, ...owner, appVersionId, state: SessionState.ACTIVE }));
        const reply = await next(context, { ...request, sessionId });
        const run =
          reply.run && tables.run.change(idText(reply.run.runId), { sessionId: undefined }, { sameVersion: true });
        tables.session.remove(sessionId.value);
        return { ...reply, run };
      }),
    },
  }),
];
