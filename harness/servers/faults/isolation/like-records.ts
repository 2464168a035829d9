import type { Message } from "@bufbuild/protobuf";
import { recordFields } from "../../../../proto/resources.ts";
import { Effect, rpc } from "../../../../proto/rpcs.ts";
import type { AlphaWorld } from "../../reference/alpha/world.ts";
import type { Context } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";
import type { Fault } from "../fault.ts";
import { workspacesOf } from "../second-tenant.ts";
import { idIn, recordIn, wrapping } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** The ids of live records of other workspaces that have the value of a record in one field. */
function likeIn({ row, world, workspaceId }: Context, record: Message, field: string): readonly string[] {
  return [...workspacesOf(world)]
    .filter((other) => other !== workspaceId)
    .flatMap((other) => world.tables[row.subject]?.entries(other) ?? [])
    .filter(({ deleted, record: one }) => !deleted && readField(one, field) === readField(record, field))
    .map((entry) => idIn(entry.record, recordFields(row).id));
}

type Reach = (context: Context, id: string) => void;

/** Does to a record what is done to its like: its version moves, or it goes. */
const alike: Reach = ({ row, world }, id) => {
  const table = world.tables[row.subject];
  if (row.effect === Effect.DELETE) table?.remove(id);
  else table?.change(id, {});
};

const takingContent: Reach = ({ world }, id) => (world as AlphaWorld).contents.delete(id);

/** Finds what it changes by a field that is unique in a workspace, and forgets to say in which. */
const reaching = (field: string, reach: Reach = alike) =>
  wrapping((next) => async (context, request) => {
    const { subject } = context;
    const reply = await next(context, request);
    const record = subject ?? recordIn(context, reply);
    for (const id of record === undefined ? [] : likeIn(context, record, field)) reach(context, id);
    return reply;
  });

const at = (names: readonly string[], field: string, what: string) =>
  faultsAt(names.map(rpc), {
    id: `isolation/reaches-the-like-by-${what}`,
    says: `does what it does to the records of other workspaces, too, that have the same ${what.replace("-", " ")}`,
    breaks: "*.isolation.mutate",
    decorate: reaching(field),
  });

/** Records of other workspaces that have something in common with one. */
export const likeRecords: readonly Fault[] = [
  ...at(
    [
      "alpha.v1.SecretService/CreateSecret",
      "alpha.v1.SecretService/RotateSecret",
      "alpha.v1.SecretService/DeleteSecret",
      "alpha.v1.WebhookService/CreateWebhookEndpoint",
      "alpha.v1.WebhookService/UpdateWebhookEndpoint",
      "alpha.v1.ArtifactService/CreateArtifactUpload",
      "alpha.v1.ArtifactService/DeleteArtifact",
      "beta.v1.CustomerSecretService/CreateSecret",
      "beta.v1.CustomerSecretService/RotateSecret",
      "beta.v1.CustomerSecretService/DeleteSecret",
    ],
    "name",
    "name",
  ),
  ...at(
    [
      "alpha.v1.WebhookService/UpdateWebhookEndpoint",
      "alpha.v1.WebhookService/RotateWebhookSecret",
      "alpha.v1.WebhookService/DeleteWebhookEndpoint",
      "beta.v1.WebhookService/UpdateWebhookEndpoint",
      "beta.v1.WebhookService/RotateWebhookSecret",
      "beta.v1.WebhookService/DeleteWebhookEndpoint",
    ],
    "url",
    "url",
  ),
  ...at(
    [
      "beta.v1.CustomerUserService/CreateCustomerUserGrant",
      "beta.v1.CustomerUserService/UpdateCustomerUserGrant",
      "beta.v1.CustomerUserService/RevokeCustomerUserGrant",
    ],
    "externalUserId",
    "external-id",
  ),
  ...at(
    ["alpha.v1.ArtifactService/CompleteArtifactUpload", "alpha.v1.ArtifactService/DeleteArtifact"],
    "sha256Hex",
    "digest",
  ),
  ...faultsAt([rpc("alpha.v1.ArtifactService/DeleteArtifact")], {
    id: "isolation/takes-equal-content-of-other-workspaces",
    says: "deletes the content that artifacts of other workspaces have of the same digest",
    breaks: "*.isolation.mutate",
    decorate: reaching("sha256Hex", takingContent),
  }),
];
