import type { Message } from "@bufbuild/protobuf";
import { type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import { tenantKey } from "../../reference/core/context.ts";
import { idText, readField } from "../../reference/core/fields.ts";
import { expectedVersionOf, versionOf } from "../../reference/core/subject.ts";
import type { Fault } from "../fault.ts";
import { idIn } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { unlookedAt } from "./unlooked-at.ts";

const textOf = (message: Message | undefined, field: string) => (message === undefined ? "" : idIn(message, field));

/** The records of a kind that a tenant has, or a user of it. */
const allOf = ({ world, tenant }: Context, kind: string): readonly Message[] =>
  world.tables[kind]?.entries(tenantKey(tenant)).map(({ record }) => record) ?? [];

/** The records of a kind that name an id in a field, or in a list of ids. */
function naming(context: Context, kind: string, field: string, id: string): readonly Message[] {
  return allOf(context, kind).filter((record) => {
    const named = readField(record, field) as { value: string } | { value: string }[] | undefined;
    return [named ?? []].flat().some((one) => idText(one) === id);
  });
}

/** The record of a kind that something names in a field. */
const namedBy = ({ world, subject }: Context, kind: string, field: string): readonly Message[] =>
  [world.tables[kind]?.find(textOf(subject, field))?.record ?? []].flat();

/** The record of a kind that is the user's whom a call names. */
const ofUser = ({ world, tenant }: Context, kind: string): readonly Message[] =>
  [world.tables[kind]?.find(tenant.customerUserId ?? "")?.record ?? []].flat();

type Related = readonly [
  what: string,
  says: string,
  rows: (row: RpcRow) => boolean,
  of: (c: Context) => readonly Message[],
];

const about = (packageName: string, subject: string) => (row: RpcRow) =>
  row.package === packageName && row.subject === subject && row.expectedVersion !== undefined;

/** Records whose version a careless lookup takes for that of another, which belongs together with it. */
const related: readonly Related[] = [
  ["user", "the grant of its user", about("beta.v1", "session"), (c) => ofUser(c, "customer_user")],
  [
    "run",
    "a run in it",
    about("beta.v1", "session"),
    (c) => naming(c, "run", "sessionId", textOf(c.subject, "sessionId")),
  ],
  ["user", "the grant of its user", about("beta.v1", "secret"), (c) => ofUser(c, "customer_user")],
  ["settings", "the settings of its memory", about("beta.v1", "memory_item"), (c) => ofUser(c, "memory_settings")],
  ["item", "an item of it", about("beta.v1", "memory_settings"), (c) => allOf(c, "memory_item")],
  ["user", "the grant of its user", about("beta.v1", "memory_settings"), (c) => ofUser(c, "customer_user")],
  ["settings", "the settings of its memory", about("beta.v1", "customer_user"), (c) => ofUser(c, "memory_settings")],
  [
    "endpoint",
    "its endpoint",
    about("beta.v1", "webhook_delivery"),
    (c) => namedBy(c, "webhook_endpoint", "webhookEndpointId"),
  ],
  [
    "endpoint",
    "its endpoint",
    about("alpha.v1", "webhook_delivery"),
    (c) => namedBy(c, "webhook_endpoint", "endpointId"),
  ],
  ["job", "the job it tells of", about("alpha.v1", "webhook_delivery"), (c) => namedBy(c, "job", "jobId")],
  [
    "delivery",
    "a delivery to it",
    about("alpha.v1", "webhook_endpoint"),
    (c) => naming(c, "webhook_delivery", "endpointId", textOf(c.subject, "id")),
  ],
  [
    "delivery",
    "a delivery to it",
    about("beta.v1", "webhook_endpoint"),
    (c) => naming(c, "webhook_delivery", "webhookEndpointId", textOf(c.subject, "webhookEndpointId")),
  ],
  [
    "job",
    "a job it was given to",
    ({ name }) => name === "alpha.v1.ArtifactService/DeleteArtifact",
    (c) => naming(c, "job", "inputArtifactIds", textOf(c.subject, "id")),
  ],
  [
    "input",
    "an artifact it was given",
    ({ name }) => name === "alpha.v1.JobService/DeleteJob",
    (c) =>
      ((readField(c.subject as Message, "inputArtifactIds") ?? []) as { value: string }[]).flatMap(
        (id) => c.world.tables.artifact?.find(idText(id))?.record ?? [],
      ),
  ],
];

/** Another live record with the same value in a field. */
function hasTwin(context: Context, field: string): boolean {
  const { world, row, tenant, subject } = context;
  const live = world.tables[row.subject]?.entries(tenantKey(tenant)).filter(({ deleted }) => !deleted) ?? [];
  const value = readField(subject as Message, field);
  return live.filter(({ record }) => readField(record, field) === value).length > 1;
}

const uncheckedTwins = (field: string, subject: string, packages: readonly string[]) =>
  packages.flatMap((packageName) =>
    faultsAt(rpcs.filter(about(packageName, subject)), {
      id: `version/unchecked-where-two-have-one-${field}`,
      says: `checks no version of a ${subject.replace("_", " ")} whose ${field} another has, too`,
      breaks: "*.versioning.expected",
      decorate: unlookedAt((context) => hasTwin(context, field)),
    }),
  );

/** Versions that are not looked at where a lookup by what is no id finds two. */
export const uncheckedTwinFaults: readonly Fault[] = [
  ...uncheckedTwins("url", "webhook_endpoint", ["alpha.v1", "beta.v1"]),
  ...uncheckedTwins("name", "secret", ["alpha.v1", "beta.v1"]),
];

export const relatedVersions: readonly Fault[] = related.flatMap(([what, says, isAbout, of]) =>
  faultsAt(rpcs.filter(isAbout), {
    id: `version/takes-the-version-of-its-${what}`,
    says: `takes the version of ${says} for that of the record`,
    breaks: "*.versioning.expected",
    decorate: unlookedAt((context) => of(context).some((record) => versionOf(record) === expectedVersionOf(context))),
  }),
);
