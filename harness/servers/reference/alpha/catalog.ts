import { CatalogService } from "../../../../proto/gen/alpha/v1/catalog_service_pb.js";
import type { MiniAppDescriptor } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { pageOf } from "../core/paging.ts";
import { refuse } from "../core/refusal.ts";
import { implement } from "./messages.ts";
import type { AlphaWorld } from "./world.ts";

/** The mini app of this id. Refuses an unknown one. */
export function miniAppOf(world: AlphaWorld, id: string): MiniAppDescriptor {
  return world.miniApps.find((miniApp) => miniApp.id === id) ?? refuse("RESOURCE_NOT_FOUND", "no such mini app");
}

export const catalogHandlers = implement(CatalogService, {
  getMiniApp: ({ world }, { miniAppId }) => ({ miniApp: miniAppOf(world, miniAppId) }),

  listMiniApps(context, request) {
    const entries = context.world.miniApps.map((record, index) => ({ ordinal: index + 1, record, deleted: false }));
    const { records, page } = pageOf(context, request.page, () => entries);
    return { miniApps: records, page };
  },
});
