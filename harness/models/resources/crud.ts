import type { JsonObject } from "@bufbuild/protobuf";
import { Change } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import { isDeletedOnceRevoked } from "../../setup/beta/customer-user.ts";
import { permitsNoRotation } from "../../setup/second-rotation.ts";
import { isDefault } from "../../wire/json.ts";
import type { Reply } from "../../wire/reply.ts";
import { type KindOverrides, type Model, modelKind } from "../model.ts";
import type { TrackedRecord } from "../tracked-record.ts";
import { createBy } from "./create.ts";

/** A model of one kind, whose records the RPC under test creates within `within`: a customer user of its own, or nothing. */
function crudModel(
  { row, setup }: CaseContext,
  kind: string,
  overrides: KindOverrides = {},
  within: JsonObject = {},
): Model {
  const create = createBy(row.name);
  return {
    package: row.package,
    kinds: [modelKind(kind, row.package, setup.isTombstone, { create, ...overrides })],
    setUp: async () => ({ within, subjects: [] }),
  };
}

/** Secrets: created, rotated, deleted. */
export function secretModel(context: CaseContext, within: JsonObject): Model {
  return crudModel(context, "secret", { ownList: within.customerUserId !== undefined }, within);
}

/** What an endpoint of a server may do that others do not. */
interface EndpointHabits {
  /** It is deleted only once it is disabled: which states permit a deletion is not shown. */
  readonly isDeletedOnceDisabled?: boolean;
  /** What is delivered to it moves its version. */
  readonly isMovedByDeliveries?: boolean;
}

/** Webhook endpoints: created, updated field by field, given new signing secrets, deleted. */
export function endpointModel(
  context: CaseContext,
  { isDeletedOnceDisabled = false, isMovedByDeliveries = false }: EndpointHabits = {},
): Model {
  // Which states permit a rotation is not shown: the next may have to wait until the previous secret has expired.
  const mayRefuse = ({ changes }: TrackedRecord, refusal: Reply) =>
    changes.has(Change.ROTATES) && permitsNoRotation(refusal);
  const mustDelete = isDeletedOnceDisabled ? { mustServe: (record: JsonObject) => record.enabled !== true } : {};
  return crudModel(context, "webhook_endpoint", {
    settled: () => !isMovedByDeliveries,
    mutations: { [Change.ROTATES]: { mayRefuse }, [Change.UNSPECIFIED]: mustDelete },
  });
}

/** Grants of customer users: created, updated, revoked; the user is deleted. */
export async function grantModel(context: CaseContext): Promise<Model> {
  // Whether a revoked grant is read, updated, or revoked again, is open.
  const mustServe = (record: JsonObject) => isDefault(record.revokedAt);
  // Which states permit a deletion is not shown: it may take a revocation first.
  const mustDelete = (await isDeletedOnceRevoked(context))
    ? { mustServe: (record: JsonObject) => !mustServe(record) }
    : {};
  return crudModel(context, "customer_user", {
    isHidden: (record) => !mustServe(record),
    mutations: { [Change.SETS]: { mustServe }, [Change.REVOKES]: { mustServe }, [Change.UNSPECIFIED]: mustDelete },
  });
}

/** Sessions: created and deleted. */
export function sessionModel(context: CaseContext, within: JsonObject): Model {
  return crudModel(context, "session", { ownList: true }, within);
}
