import type { JsonObject } from "@bufbuild/protobuf";
import { type RpcRow, rpc } from "../../proto/rpcs.ts";
import type { CallOptions } from "../case/call.ts";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { Unproven } from "../case/unproven.ts";
import { isDefault } from "../wire/json.ts";
import type { Reply } from "../wire/reply.ts";
import { freshRequestId } from "./request-id.ts";

/**
 * Calls a row that creates something, with the fields that are to differ from what setup would choose. Where that is
 * refused it is called once more without what setup chose to spare; the first refusal is returned where that is refused too.
 */
export async function callToCreate(
  { call, setup }: CaseContext,
  row: RpcRow,
  fields: JsonObject,
  options: CallOptions = {},
): Promise<Reply> {
  const request = await setup.request(row, undefined, fields);
  const reply = await call(row, request, options);
  const spare = setup.spareFields(row.subject).filter((name) => !(name in fields) && !isDefault(request[name]));
  if (reply.outcome !== "refused" || spare.length === 0) return reply;
  const rest = Object.fromEntries(Object.entries(request).filter(([name]) => !spare.includes(name)));
  const requestId = freshRequestId(row, setup);
  const again = await call(row, { ...rest, ...requestId }, options);
  return again.outcome === "refused" ? reply : again;
}

/**
 * Calls a row that creates something, with the fields that are to differ from what setup would choose, and returns what
 * it made. It is undone when the case is over, as all that a served call creates. Throws Unproven where nothing was made.
 */
export async function create(
  context: CaseContext,
  creating: RpcRow | string,
  fields: JsonObject = {},
  options: CallOptions = {},
): Promise<Subject> {
  const { needs, setup } = context;
  const row = typeof creating === "string" ? rpc(creating) : creating;
  const baseUrl = await setup.homeUrl(row);
  const reply = await callToCreate(context, row, fields, { baseUrl, ...options });
  needs(reply);
  const subject = setup.subjectIn(reply);
  if (subject.id === null) throw new Unproven(`a ${row.subject} record came without an id`, reply);
  return { ...subject, baseUrl, shownBy: row.name };
}
