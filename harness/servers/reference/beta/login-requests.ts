import { create } from "@bufbuild/protobuf";
import { CompleteOAuthLoginRequestResponseSchema } from "../../../../proto/gen/beta/v1/oauth_handoff_service_pb.js";
import type { Tenant } from "../core/context.ts";
import { idText } from "../core/fields.ts";
import { createTable, type Table, type TablePolicy } from "../core/store.ts";
import type { App } from "./apps.ts";
import { uuid } from "./messages.ts";
import type { BetaWorld, LoginRequest } from "./world.ts";

/** How many requests each app has waiting for completion; no RPC makes any. */
const waitingPerApp = { main: 96, second: 8 } as const;

/** The table, whose completed requests wait again, as they did, once nobody has asked for any for so long. */
function waitingAgain(table: Table<LoginRequest>, { clock }: BetaWorld, quietMs: number): Table<LoginRequest> {
  const waited = new Map<string, LoginRequest>();
  let askedAt = clock.now();
  return {
    ...table,
    find(id) {
      const now = clock.now();
      if (now - askedAt > quietMs) {
        for (const request of waited.values()) table.put(request);
        waited.clear();
      }
      askedAt = now;
      return table.find(id);
    },
    change(id, fields, options) {
      waited.set(id, waited.get(id) ?? table.get(id));
      return table.change(id, fields, options);
    },
  };
}

/** A table of login requests that wait to be completed. */
export function createLoginRequests(world: BetaWorld, policy: TablePolicy): Table<LoginRequest> {
  const { apps, newId, random, choices } = world;
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
  return choices.completedQuietMs === undefined ? table : waitingAgain(table, world, choices.completedQuietMs);
}
