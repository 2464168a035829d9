import type { Message } from "@bufbuild/protobuf";
import { rpc } from "../../../../proto/rpcs.ts";
import { readField } from "../../reference/core/fields.ts";
import type { Fault } from "../fault.ts";
import { keptForAll } from "../isolation/users-at-once.ts";
import { wrapping } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** The app version that was asked for last, of the calls for one user that come at once, kept for all of them. */
const withTheLastVersion = wrapping(
  keptForAll(
    (_context, request) => readField(request, "appVersionId"),
    (context, appVersionId, request) => {
      const changed = { ...request, appVersionId } as Message;
      return [{ ...context, request: changed }, changed];
    },
    ({ tenant }) => tenant.customerUserId,
  ),
);

/** Sessions that are made at the same time come out as the last of them. */
export const madeAtOnce: readonly Fault[] = faultsAt([rpc("beta.v1.SessionService/CreateSession")], {
  id: "lifecycle/takes-the-version-asked-for-last",
  says: "creates the sessions of a user that are asked for at once with the app version of the last",
  breaks: "*.versioning.app-version",
  decorate: withTheLastVersion,
});
