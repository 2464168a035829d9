import { create } from "@bufbuild/protobuf";
import {
  type CompleteOAuthLoginRequestResponse,
  CompleteOAuthLoginRequestResponseSchema,
} from "../../../proto/gen/beta/v1/oauth_handoff_service_pb.js";
import type { Tenant } from "../core/context.ts";
import { idText } from "../core/fields.ts";
import { createTable, type Table, type TablePolicy } from "../core/store.ts";
import type { App } from "./apps.ts";
import { uuid } from "./messages.ts";
import type { BetaWorld } from "./world.ts";

/** A login request as it is kept: the reply to its completion, whose time is absent until then. */
export type LoginRequest = CompleteOAuthLoginRequestResponse;

/** How many requests each app has waiting for completion; no RPC makes any. */
const waitingPerApp = { main: 96, second: 8 } as const;

/** A table of login requests that wait to be completed. */
export function createLoginRequests({ apps, newId, random }: BetaWorld, policy: TablePolicy): Table<LoginRequest> {
  const owners = new Map<string, Tenant>();
  const nobody: Tenant = { workspaceId: "", appId: "", customerUserId: "" };
  const table = createTable(CompleteOAuthLoginRequestResponseSchema, policy, {
    subject: "oauth_login_request",
    tenantOf: (request) => owners.get(idText(request.oauthLoginRequestId)) ?? nobody,
  });
  const seed = ({ workspaceId, appId }: App, count: number) => {
    for (let made = 0; made < count; made++) {
      const id = newId();
      owners.set(id, { workspaceId, appId, customerUserId: "" });
      const browserReturnUrl = `https://desk.invalid/signed-in?state=${random.token(16)}`;
      table.add(create(CompleteOAuthLoginRequestResponseSchema, { oauthLoginRequestId: uuid(id), browserReturnUrl }));
    }
  };
  seed(apps.main, waitingPerApp.main);
  seed(apps.second, waitingPerApp.second);
  return table;
}
