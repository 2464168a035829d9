import type { Message } from "@bufbuild/protobuf";
import { storedFields, switches } from "../../../../proto/resources.ts";
import { Change, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";
import { expectedVersionOf, versionOf } from "../../reference/core/subject.ts";
import type { EitherDecoration, Fault } from "../fault.ts";
import { namedId, wrapping } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { unlookedAt } from "./unlooked-at.ts";

const isUpdate = (row: RpcRow) => row.subject === "webhook_endpoint" && row.change === Change.SETS && switches(row);

/** The fields of a record that its updates set: ids name what is updated, and stay. */
const groups = (row: RpcRow) =>
  storedFields(row)
    .filter(({ message }) => message === undefined)
    .map(({ localName }) => localName);

const textOf = (record: Message, field: string) => JSON.stringify(readField(record, field) ?? null);

/** Takes a version that a record had while it differed in one field alone, which is kept, and versioned, elsewhere. */
const versionedElsewhere =
  (update: RpcRow, field: string) =>
  (row: RpcRow): EitherDecoration => {
    const earlier = new Map<string, Message[]>();
    const noting = wrapping((next) => (context, request) => {
      const { subject } = context as Context;
      const id = namedId(context) ?? "";
      if (subject !== undefined) earlier.set(id, [...(earlier.get(id) ?? []), subject]);
      return next(context, request);
    })(update);
    const isSo = (context: Context) => {
      const { subject: now } = context;
      const then = earlier
        .get(namedId(context) ?? "")
        ?.find((record) => versionOf(record) === expectedVersionOf(context));
      if (now === undefined || then === undefined) return false;
      const moved = groups(update).filter((name) => textOf(now, name) !== textOf(then, name));
      return moved.length === 1 && moved[0] === field;
    };
    return { ...noting, ...unlookedAt(isSo)(row) };
  };

/** Mutations that look at a version of some of the fields of their record. */
export const fieldGroups: readonly Fault[] = rpcs.filter(isUpdate).flatMap((update) =>
  groups(update)
    .filter((field) => field !== "enabled")
    .flatMap((field) =>
      faultsAt(
        update.peers.filter((row) => row.subject === "webhook_endpoint" && row.expectedVersion !== undefined),
        {
          id: `version/overlooks-a-change-of-${field}`,
          says: `takes the version before a change of ${field} for the current one`,
          breaks: "*.versioning.expected",
          decorate: versionedElsewhere(update, field),
        },
      ),
    ),
);
