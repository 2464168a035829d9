import type { JsonObject } from "@bufbuild/protobuf";
import { Change } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import { isDefault } from "../../wire/json.ts";
import { type Model, modelKind } from "../model.ts";
import { makeBy } from "./created.ts";

/** Request fields that all records of a history are within: a customer user of its own, where the package has users. */
type Within = JsonObject;

function inside(within: Within, family: Omit<Model, "begin">): Model {
  return { ...family, begin: async () => ({ within, subjects: [] }) };
}

/** Secrets: made, rotated, deleted. */
export function secretModel({ row, setup }: CaseContext, within: Within): Model {
  const make = makeBy(row.name);
  const kind = modelKind("secret", row.package, setup.isTombstone, {
    make,
    ownList: within.customerUserId !== undefined,
  });
  return inside(within, { package: row.package, kinds: [kind] });
}

/** Webhook endpoints: made, updated field by field, given new signing secrets, deleted. */
export function endpointModel({ row, setup }: CaseContext): Model {
  const kind = modelKind("webhook_endpoint", row.package, setup.isTombstone, { make: makeBy(row.name) });
  return { package: row.package, kinds: [kind] };
}

/** Grants of customer users: made, updated, revoked; the user is deleted. */
export function grantModel({ row, setup }: CaseContext): Model {
  const live = (record: JsonObject) => isDefault(record.revokedAt);
  const kind = modelKind("customer_user", row.package, setup.isTombstone, {
    make: makeBy(row.name),
    mutations: {
      // Whether a revoked grant is updated, or revoked once more, is open.
      [Change.SETS]: { mustServe: live },
      [Change.REVOKES]: { mustServe: live },
    },
  });
  return { package: row.package, kinds: [kind] };
}

/** Sessions: made and deleted. */
export function sessionModel({ row, setup }: CaseContext, within: Within): Model {
  const kind = modelKind("session", row.package, setup.isTombstone, { make: makeBy(row.name), ownList: true });
  return inside(within, { package: row.package, kinds: [kind] });
}
