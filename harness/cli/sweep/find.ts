import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { deleteRowOf, recordFields, subjectFieldOf } from "../../../proto/resources.ts";
import { Effect, type RpcRow, rpc, rpcs } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import { Unproven } from "../../case/unproven.ts";
import { listAll } from "../../setup/listing.ts";
import { isTombstone, versionOf } from "../../setup/subject.ts";
import { objectAt, textAt } from "../../wire/json.ts";
import { describeReply } from "../../wire/reply.ts";
import type { Tenant } from "./tenants.ts";

/** Something an earlier run made and did not undo. */
export interface Found {
  readonly tenant: Tenant;
  readonly kind: string;
  readonly id: JsonValue;
  readonly version: string;
  /** What it was told by: its name, or its address. */
  readonly mark: string;
  readonly baseUrl: string | undefined;
  /** The RPC that deletes it. */
  readonly row: RpcRow;
}

/** What every name a run gives begins with. */
const prefix = /^hallmark-[a-z0-9]{8}-|^HALLMARK_[A-Z0-9]{8}_/;

/** True for a name, or an external user id, that only a run of Hallmark gives. */
export function isOwnName(text: string): boolean {
  return prefix.test(text);
}

/** The field of a record that tells whose it is. */
function markIn(record: JsonObject, publicUrl: string | undefined): string | undefined {
  const name = textAt(record, "name");
  if (isOwnName(name)) return name;
  const url = textAt(record, "url");
  const own =
    url.startsWith("https://hallmark.invalid/") || (publicUrl !== undefined && url.startsWith(`${publicUrl}/`));
  return own ? url : undefined;
}

/** Rows that list what a tenant owns, where something deletes it; what belongs to a customer user is listed by user only. */
function listingRows(packageName: string): readonly RpcRow[] {
  return rpcs.filter(
    (row) =>
      row.package === packageName &&
      row.effect === Effect.LIST &&
      deleteRowOf(row.subject, packageName) !== undefined &&
      !row.ids.some(({ facts }) => facts.names === "customer_user"),
  );
}

/** What of the runs' making a tenant's listings show, on every base URL they may be on. */
export async function findOwn(context: CaseContext, tenant: Tenant): Promise<readonly Found[]> {
  const { alpha, webhooks } = context.target.settings;
  const elsewhere = tenant.package === "alpha.v1" && alpha?.testBaseUrl !== undefined ? [alpha.testBaseUrl] : [];
  const found = new Map<string, Found>();
  for (const row of listingRows(tenant.package)) {
    const deleting = deleteRowOf(row.subject, tenant.package);
    for (const baseUrl of [undefined, ...elsewhere]) {
      for (const record of await recordsOf(context, row, tenant, baseUrl)) {
        const mark = markIn(record, webhooks?.publicUrl);
        const id = record[recordFields(row).id] ?? null;
        const key = JSON.stringify([row.subject, id]);
        if (deleting === undefined || mark === undefined || isTombstone(record) || found.has(key)) continue;
        found.set(key, { tenant, kind: row.subject, id, version: versionOf(record), mark, baseUrl, row: deleting });
      }
    }
  }
  return [...found.values()];
}

/** Records of a listing. On the test base URL the listing need not be served at all. */
async function recordsOf(context: CaseContext, row: RpcRow, { fields, key }: Tenant, baseUrl: string | undefined) {
  if (baseUrl !== undefined) {
    const request = { ...fields, page: { cursor: "" } };
    const probe = await context.call(row, request, { as: key, baseUrl });
    if (probe.outcome !== "served") return [];
  }
  return (await listAll(context, row, { ...fields }, { as: key, baseUrl })).records;
}

/** The customer user of an external id, where there is one. */
export async function findUser(
  context: CaseContext,
  tenant: Tenant,
  externalUserId: string,
): Promise<Found | undefined> {
  const reply = await context.call(
    "beta.v1.CustomerUserService/GetCustomerUserGrant",
    { ...tenant.fields, externalUserId },
    { as: tenant.key },
  );
  if (reply.outcome !== "served") return undefined;
  const record = objectAt(reply.json, "customerUserGrant");
  const row = rpc("beta.v1.CustomerUserService/DeleteCustomerUser");
  const about = { id: record.customerUserId ?? null, version: versionOf(record), mark: externalUserId };
  return { tenant, kind: "customer_user", ...about, baseUrl: undefined, row };
}

/** Deletes what was found; returns why it could not be. */
export async function deleteFound(
  context: CaseContext,
  { tenant, row, id, version, kind, baseUrl }: Found,
): Promise<string | undefined> {
  const own = kind === "customer_user" ? "customerUserId" : (subjectFieldOf(row) ?? "");
  const expected = row.expectedVersion === undefined ? {} : { [row.expectedVersion.name]: version };
  try {
    const reply = await context.call(row, { ...tenant.fields, [own]: id, ...expected }, { as: tenant.key, baseUrl });
    return reply.outcome === "served" ? undefined : describeReply(reply);
  } catch (error) {
    // One thing that cannot be deleted, for its version say, does not keep others from being.
    if (error instanceof Unproven) return error.message;
    throw error;
  }
}
