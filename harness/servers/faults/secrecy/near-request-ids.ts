import { clone, type Message } from "@bufbuild/protobuf";
import type { UUIDv7 } from "../../../../proto/gen/beta/v1/resources_pb.js";
import type { Context } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";
import type { Fault } from "../fault.ts";
import { requestIdOf } from "../idempotency/replays.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { issuing } from "./replays.ts";

/** The same call, under another requestId. */
function under(context: Context, value: string): Context {
  const { row, request } = context;
  const field = row.requestId?.field.localName ?? "";
  const renamed = Object.assign(clone(row.input, request) as Message, {
    [field]: { ...(readField(request, field) as UUIDv7), value },
  });
  return { ...context, request: renamed };
}

/** Remembers requests by a part of their requestId. */
const remembering = (part: (id: string) => string) =>
  replacing((parts) => ({
    idempotent: (context, effect) => parts.idempotent(under(context, part(requestIdOf(context))), effect),
  }));

const kinds: readonly (readonly [what: string, says: string, part: (id: string) => string])[] = [
  ["first-half", "the first half of a requestId", (id) => id.slice(0, 18)],
  ["last-half", "the last half of a requestId", (id) => id.slice(19)],
  ["all-but-the-last-digit", "all digits of a requestId but the last", (id) => id.slice(0, -1)],
];

/** A column too short for ids, or one of their halves as a number: near ids are one. */
export const nearRequestIds: readonly Fault[] = kinds.flatMap(([what, says, part]) =>
  faultsAt(issuing, {
    id: `secrecy/remembers-${what}`,
    says: `remembers requests by ${says}`,
    breaks: "*.credentials.reissue",
    decorate: remembering(part),
  }),
);
