import { create } from "@bufbuild/protobuf";
import { CustomerSecretService } from "../../../../proto/gen/beta/v1/customer_secret_service_pb.js";
import { SecretSchema } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { idText } from "../core/fields.ts";
import { subjectOf } from "../core/implement.ts";
import { pageOfTable } from "./listing.ts";
import { implement, ownerFields, uuid } from "./messages.ts";

/** Secrets are write-only: values rest sealed beside the records, and no reply has a place for them. */
export const customerSecretHandlers = implement(CustomerSecretService, {
  createSecret({ world, tenant }, { name, plaintextValue }) {
    const id = world.newId();
    world.secretValues.set(id, world.vault.seal(id, plaintextValue));
    const fields = { secretId: uuid(id), ...ownerFields(tenant), name, activeVersion: 1 };
    return { secret: world.tables.secret.add(create(SecretSchema, fields)) };
  },

  deleteSecret(context) {
    const { world } = context;
    const id = idText(subjectOf(context, SecretSchema).secretId);
    world.secretValues.delete(id);
    return { secret: world.tables.secret.remove(id, {}, false) };
  },

  getSecret: (context) => ({ secret: subjectOf(context, SecretSchema) }),

  listSecrets(context, request) {
    const { records, page } = pageOfTable(context, request.page, context.world.tables.secret);
    return { secrets: records, page };
  },

  rotateSecret(context, { plaintextValue }) {
    const { world } = context;
    const { secretId, activeVersion } = subjectOf(context, SecretSchema);
    const id = idText(secretId);
    world.secretValues.set(id, world.vault.seal(id, plaintextValue));
    return { secret: world.tables.secret.change(id, { activeVersion: activeVersion + 1 }) };
  },
});
