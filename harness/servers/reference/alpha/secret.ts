import { create } from "@bufbuild/protobuf";
import { SecretSchema } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { SecretService } from "../../../../proto/gen/alpha/v1/secret_service_pb.js";
import { idText } from "../core/fields.ts";
import { subjectOf } from "../core/implement.ts";
import { pageOf } from "../core/paging.ts";
import { timestamp } from "../core/times.ts";
import { implement, uuid } from "./messages.ts";

/** Secrets are write-only: values rest sealed beside the records, and no reply has a place for them. */
export const secretHandlers = implement(SecretService, {
  createSecret({ world, workspaceId }, { name, value }) {
    const id = world.newId();
    world.secretValues.set(id, world.vault.seal(id, value));
    return {
      secret: world.tables.secret.add(create(SecretSchema, { id: uuid(id), workspaceId: uuid(workspaceId), name })),
    };
  },

  deleteSecret(context) {
    const { world } = context;
    const secret = subjectOf(context, SecretSchema);
    const id = idText(secret.id);
    world.secretValues.delete(id);
    const tombstone = { deletedAt: timestamp(world.clock.now()) };
    world.tables.secret.remove(id, world.choices.deleted === "tombstone" ? tombstone : undefined);
    return { secretId: secret.id };
  },

  getSecret: (context) => ({ secret: subjectOf(context, SecretSchema) }),

  listSecrets(context, request) {
    const { records, page } = pageOf(context, request.page, (workspaceId) =>
      context.world.tables.secret.entries(workspaceId),
    );
    return { secrets: records, page };
  },

  rotateSecret(context, { value }) {
    const { world } = context;
    const id = idText(subjectOf(context, SecretSchema).id);
    world.secretValues.set(id, world.vault.seal(id, value));
    return { secret: world.tables.secret.change(id, {}) };
  },
});
