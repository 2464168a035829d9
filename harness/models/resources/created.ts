import type { JsonObject } from "@bufbuild/protobuf";
import { type RpcRow, rpc } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Made } from "../model.ts";

/** Makes records by calling a creating RPC; what is made is undone when the case is over. */
export function makeBy(name: string, fields: (context: CaseContext) => JsonObject = () => ({})) {
  const row: RpcRow = rpc(name);
  return async (context: CaseContext, within: JsonObject): Promise<Made> => {
    const { setup, call, needs } = context;
    const baseUrl = await setup.homeUrl(row);
    const request = { ...(await setup.request(row, undefined)), ...within, ...fields(context) };
    const reply = await call(row, request, { baseUrl });
    needs(reply);
    return { subject: { ...setup.subjectIn(reply), baseUrl }, reply, again: { row, request, baseUrl } };
  };
}
