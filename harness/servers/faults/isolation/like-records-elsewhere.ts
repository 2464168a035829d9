import type { Message } from "@bufbuild/protobuf";
import { type RpcRow, rpc } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";
import type { Fault } from "../fault.ts";
import { workspacesOf } from "../second-tenant.ts";
import { replacing, wrapping } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { entryNamed, isolationClause } from "./tenants.ts";

const liveIn = ({ row, world }: Context, workspaceId: string): readonly Message[] =>
  (world.tables[row.subject]?.entries(workspaceId) ?? []).filter(({ deleted }) => !deleted).map(({ record }) => record);

/** Finds a record of another workspace where the caller's own has one with the same value: it is joined by that, not by its id. */
const findingTheLike = (field: string) =>
  replacing((parts) => ({
    findSubject(context) {
      const entry = entryNamed(context);
      const isLike = (own: Message) => readField(own, field) === readField(entry?.record as Message, field);
      const found = entry?.deleted === false && liveIn(context, context.workspaceId).some(isLike);
      return found ? entry.record : parts.findSubject(context);
    },
  }));

/** Lists the records of other workspaces, too, that have a value in common with one of its page. */
const listingTheLike = (field: string) =>
  wrapping((next) => async (context, request) => {
    const reply = (await next(context, request)) as Message;
    const list = context.row.list?.field.localName ?? "";
    const own = readField(reply, list) as readonly Message[];
    const known = new Set(own.map((record) => readField(record, field)));
    const others = [...workspacesOf(context.world)].filter((other) => other !== context.workspaceId);
    const like = others
      .flatMap((other) => liveIn(context, other))
      .filter((record) => known.has(readField(record, field)));
    return Object.assign(reply, { [list]: [...own, ...like] });
  });

const at = (
  what: "finds" | "lists",
  field: string,
  rows: readonly string[],
  decorate: (field: string) => (row: RpcRow) => object,
) =>
  faultsAt(
    rows.map((name) => rpc(`alpha.v1.${name}`)),
    {
      id: `isolation/${what}-what-has-the-same-${field}`,
      says: `${what} a record of another workspace that has the ${field} of one in the caller's own`,
      breaks: isolationClause,
      entails: ["*.records.identity"],
      decorate: decorate(field),
    },
  );

export const likeElsewhere: readonly Fault[] = [
  ...at(
    "finds",
    "name",
    [
      "SecretService/GetSecret",
      "SecretService/RotateSecret",
      "WebhookService/GetWebhookEndpoint",
      "WebhookService/UpdateWebhookEndpoint",
      "ArtifactService/DeleteArtifact",
    ],
    findingTheLike,
  ),
  ...at("finds", "url", ["WebhookService/GetWebhookEndpoint"], findingTheLike),
  ...at(
    "finds",
    "sha256Hex",
    ["ArtifactService/GetArtifact", "ArtifactService/CreateArtifactDownload"],
    findingTheLike,
  ),
  ...at(
    "lists",
    "name",
    ["SecretService/ListSecrets", "ArtifactService/ListArtifacts", "WebhookService/ListWebhookEndpoints"],
    listingTheLike,
  ),
  ...at("lists", "url", ["WebhookService/ListWebhookEndpoints"], listingTheLike),
  ...at("lists", "sha256Hex", ["ArtifactService/ListArtifacts"], listingTheLike),
];
