import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../runner/context.ts";
import { isDefault } from "../../wire/json.ts";
import { type Family, kindOf } from "../family.ts";
import { makeBy } from "./made.ts";

/** Request fields that all records of a history are within: a customer user of its own, where the package has users. */
type Within = JsonObject;

function inside(within: Within, family: Omit<Family, "begin">): Family {
  return { ...family, begin: async () => ({ within, subjects: [] }) };
}

/** Secrets: made, rotated, deleted. */
export function secretFamily({ row, given }: CaseContext, within: Within): Family {
  const make = makeBy(row.name);
  const kind = kindOf("secret", row.package, given.isDead, { make, ownList: within.customerUserId !== undefined });
  return inside(within, { package: row.package, kinds: [kind] });
}

/** Webhook endpoints: made, updated field by field, given new signing secrets, deleted. */
export function endpointFamily({ row, given }: CaseContext): Family {
  const kind = kindOf("webhook_endpoint", row.package, given.isDead, { make: makeBy(row.name) });
  return { package: row.package, kinds: [kind] };
}

/** Grants of customer users: made, updated, revoked; the user is deleted. */
export function grantFamily({ row, given }: CaseContext): Family {
  const live = (record: JsonObject) => isDefault(record.revokedAt);
  const kind = kindOf("customer_user", row.package, given.isDead, {
    make: makeBy(row.name),
    deeds: {
      // Whether a revoked grant is updated, or revoked once more, is open.
      UpdateCustomerUserGrant: { mustServe: live },
      RevokeCustomerUserGrant: { mustServe: live },
    },
  });
  return { package: row.package, kinds: [kind] };
}

/** Sessions: made and deleted. */
export function sessionFamily({ row, given }: CaseContext, within: Within): Family {
  const kind = kindOf("session", row.package, given.isDead, { make: makeBy(row.name), ownList: true });
  return inside(within, { package: row.package, kinds: [kind] });
}
