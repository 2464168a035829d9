import type { Message } from "@bufbuild/protobuf";
import type { Run } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { isTerminal } from "../../reference/beta/life.ts";
import type { Context } from "../../reference/core/context.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { idIn, replacing } from "../steps.ts";
import { entryNamed } from "./tenants.ts";

/** A record as a table holds it, of whichever tenant. */
export type Entry = NonNullable<ReturnType<typeof entryNamed>>;

/** Records that are fit, and near enough, are looked up by their id alone: they come from another table than the others. */
export const finding = <T extends Message>(
  isFit: (record: T, entry: Entry, context: Context) => boolean,
  isNear: (entry: Entry, context: Context) => boolean,
  showsDeleted: boolean,
) =>
  replacing((parts) => ({
    findSubject(context) {
      const entry = entryNamed(context);
      if (entry === undefined || !isNear(entry, context) || !isFit(entry.record as T, entry, context))
        return parts.findSubject(context);
      return entry.deleted && !showsDeleted ? refuse("RESOURCE_NOT_FOUND", "no such thing") : entry.record;
    },
  }));

/** They are found in every workspace. */
export const findingAnywhere = <T extends Message>(isFit: (record: T, entry: Entry, context: Context) => boolean) =>
  finding(isFit, () => true, false);

/** They are found in the whole app, whosever they are: a session even once it is deleted, as its own user finds it. */
export const findingOfAnyUser = <T extends Message>(isFit: (record: T, entry: Entry, context: Context) => boolean) =>
  finding(isFit, ({ tenant }, context) => tenant.appId === context.tenant.appId, true);

/** They are shown to every user's token, whichever user a call names. */
export const takingAnyToken = <T extends Message>(isFit: (record: T) => boolean) =>
  replacing(({ authorizeUser }) => ({
    authorizeUser(context) {
      const entry = entryNamed(context);
      if (entry === undefined || !isFit(entry.record as T)) authorizeUser(context);
    },
  }));

/** A call for a run that has ended is taken from every user's token. */
export const takingAnyEnded = replacing(({ authorizeUser }) => ({
  authorizeUser(context) {
    const run = context.world.tables.run?.find(idIn(context.request, "runId"))?.record as Run | undefined;
    if (run === undefined || !isTerminal(run)) authorizeUser(context);
  },
}));
