import type { JsonObject } from "@bufbuild/protobuf";
import { type RpcRow, rpc } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { Unproven } from "../case/unproven.ts";

/**
 * Calls a row that creates something, with the fields that are to differ from what setup would choose, and returns what
 * it made. It is undone when the case is over, as all that a served call creates. Throws Unproven where nothing was made.
 */
export async function create(
  { call, needs, setup }: CaseContext,
  creating: RpcRow | string,
  fields: JsonObject = {},
): Promise<Subject> {
  const row = typeof creating === "string" ? rpc(creating) : creating;
  const baseUrl = await setup.homeUrl(row);
  const reply = await call(row, await setup.request(row, undefined, fields), { baseUrl });
  needs(reply);
  const subject = setup.subjectIn(reply);
  if (subject.id === null) throw new Unproven(`a ${row.subject} record came without an id`, reply);
  return { ...subject, baseUrl, shownBy: row.name };
}
