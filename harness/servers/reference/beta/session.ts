import { create } from "@bufbuild/protobuf";
import { SessionSchema, SessionState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { SessionService } from "../../../../proto/gen/beta/v1/session_service_pb.js";
import { idText } from "../core/fields.ts";
import { subjectOf } from "../core/implement.ts";
import { findRecord } from "../core/subject.ts";
import { timestamp } from "../core/times.ts";
import { pageOfTable } from "./listing.ts";
import { implement, ownerFields, uuid } from "./messages.ts";
import { requireLiveGrant, startable } from "./subject.ts";
import { issueTicket, websocketUrl } from "./voice.ts";

export const sessionHandlers = implement(SessionService, {
  createSession(context) {
    const { world, tenant } = context;
    requireLiveGrant(context);
    const { version } = startable(context);
    const session = world.tables.session.add(
      create(SessionSchema, {
        sessionId: uuid(world.newId()),
        ...ownerFields(tenant),
        appVersionId: uuid(version.appVersionId),
        state: SessionState.ACTIVE,
      }),
    );
    return { session };
  },

  createVoiceConnectionTicket(context, request) {
    const { world, call } = context;
    requireLiveGrant(context);
    const session = findRecord(context, world.tables.session, idText(request.sessionId), "session");
    const sessionId = idText(session.sessionId);
    const until = world.clock.now() + world.choices.voiceTicketLifetimeMs;
    return {
      ticket: issueTicket(world, { sessionId, until }),
      websocketUrl: websocketUrl(call.origin, sessionId),
      expiresAt: timestamp(until),
    };
  },

  deleteSession(context) {
    const { world } = context;
    const id = idText(subjectOf(context, SessionSchema).sessionId);
    const kept = world.choices.deletedSession === "tombstone";
    return { session: world.tables.session.remove(id, { state: SessionState.DELETED }, kept) };
  },

  getSession: (context) => ({ session: subjectOf(context, SessionSchema) }),

  listSessions(context, request) {
    const { records, page } = pageOfTable(context, request.page, context.world.tables.session);
    return { sessions: records, page };
  },
});
