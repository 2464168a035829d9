import type { JsonObject } from "@bufbuild/protobuf";
import { type RpcRow, rpc } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Created } from "../model.ts";

/** A function that creates records by an RPC. What it creates is undone when the case is over. */
export function createBy(name: string) {
  const row: RpcRow = rpc(name);
  return async (context: CaseContext, within: JsonObject): Promise<Created> => {
    const { setup, call, needs } = context;
    const baseUrl = await setup.homeUrl(row);
    const request = { ...(await setup.request(row, undefined)), ...within };
    const reply = await call(row, request, { baseUrl });
    needs(reply);
    return { subject: { ...setup.subjectIn(reply), baseUrl }, reply, replay: { row, request, baseUrl } };
  };
}
