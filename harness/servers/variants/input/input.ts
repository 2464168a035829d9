import type { Message } from "@bufbuild/protobuf";
import { Effect } from "../../../../proto/rpcs.ts";
import { type Context, tenantKey } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";
import { refuseFields } from "../../reference/core/refusal.ts";
import { defineAlphaVariant, defineVariants, type Variant } from "../variant.ts";
import { secretsOf } from "./secret-lengths.ts";

/** Refuses a request whose named text field does not pass, where it is there and not empty. */
function demanding(fields: Readonly<Record<string, (text: string, context: Context) => string | undefined>>) {
  return ({ validate }: { validate(context: Context): void }) => ({
    validate(context: Context) {
      validate(context);
      for (const [field, judge] of Object.entries(fields)) {
        const value = readField(context.request, field) as string | undefined;
        const wrong = value === undefined || value === "" ? undefined : judge(value, context);
        if (wrong !== undefined) refuseFields({ field, description: wrong });
      }
    },
  });
}

/** Whether another live record of the subject's table has this text in this field. */
function isTaken({ world, row, request, tenant }: Context, field: string, text: string): boolean {
  if (row.effect !== Effect.CREATE && row.effect !== Effect.UPDATE) return false;
  const table = world.tables[row.subject];
  const idOf = (message: Message, name: string) =>
    (readField(message, name) as { value?: string } | undefined)?.value?.toLowerCase();
  const own = idOf(request, "endpointId");
  const entries = (table?.entries(tenantKey(tenant)) ?? []) as readonly { record: Message; deleted: boolean }[];
  return entries.some(
    ({ record, deleted }) => !deleted && readField(record, field) === text && idOf(record, "id") !== own,
  );
}

const taken = (field: string) => (text: string, context: Context) =>
  isTaken(context, field, text) ? "is in use already" : undefined;

const plain = (text: string) =>
  /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(text) ? undefined : "has characters names do not have";

const variable = (text: string) =>
  /^[A-Z_][A-Z0-9_]*$/.test(text) ? undefined : "is no name of an environment variable";

const createUpload = "alpha.v1.ArtifactService/CreateArtifactUpload";

/** What requests may hold. */
export const inputVariants: readonly Variant[] = [
  ...defineVariants({
    id: "short-names",
    says: "takes names of at most 64 characters",
    open: ["*.open.field-constraints"],
    decoration: { choices: { maximumNameLength: 64 } },
  }),
  ...defineVariants({
    id: "plain-names",
    says: "takes names of letters, digits, dots and dashes only",
    open: ["*.open.field-constraints"],
    decoration: {
      parts: demanding({
        name: plain,
        externalUserId: plain,
      }),
    },
  }),
  ...defineVariants({
    id: "secrets-named-as-variables",
    says: "takes names of secrets as environment variables have them: of capitals, digits and underscores only",
    open: ["*.open.field-constraints"],
    decoration: {
      parts: demanding({ name: (text, { row }) => (row.subject === "secret" ? variable(text) : undefined) }),
    },
  }),
  defineAlphaVariant({
    id: "unique-names",
    says: "refuses a name or url that another record of the kind has",
    open: ["alpha.open.field-constraints"],
    decoration: { parts: demanding({ name: taken("name"), url: taken("url") }) },
  }),
  ...secretsOf("middling-secrets", { min: 8, max: 4096 }),
  ...secretsOf("short-secrets", { min: 1, max: 128 }),
  // As long as setup's own are, and shorter than those whose length a case chooses.
  ...secretsOf("tiny-secrets", { min: 1, max: 48 }),
  defineAlphaVariant({
    id: "anything-goes",
    says: "checks nothing of names and urls",
    open: ["alpha.open.field-constraints", "alpha.open.required-fields", "alpha.open.empty-value"],
    decoration: {
      parts: ({ validate }) => ({
        validate(context) {
          const { [createUpload]: kept } = context.world.rules;
          validate({
            ...context,
            world: { ...context.world, rules: kept === undefined ? {} : { [createUpload]: kept } },
          });
        },
      }),
    },
  }),
  ...defineVariants({
    id: "empty-update-keeps",
    says: "keeps name, url and lists where an update leaves them empty",
    open: ["*.open.required-fields"],
    decoration: { choices: { emptyUpdateField: "keep" } },
  }),
  ...defineVariants({
    id: "unknown-fields-refused",
    says: "refuses request fields it does not know",
    open: ["json.request.unknown-field", "TR-21"],
    decoration: { choices: { unknownRequestFields: "reject" } },
  }),
  ...defineVariants({
    id: "last-key-wins",
    says: "takes the last of two equal keys of a request",
    open: ["PJ-04"],
    decoration: { request: (json) => json },
  }),
  ...defineVariants({
    id: "version-header-required",
    says: "refuses requests without Connect-Protocol-Version",
    open: ["connect.request.no-version", "TR-24"],
    decoration: { choices: { versionHeaderRequired: true } },
  }),
  ...defineVariants({
    id: "no-request-coding",
    says: "understands no content coding",
    open: ["CP-U-50"],
    decoration: { choices: { codings: [] } },
  }),
  ...defineVariants({
    id: "short-requests",
    says: "takes requests of at most 64 KiB",
    open: ["*.open.field-constraints", "CP-U-40"],
    decoration: { choices: { maximumRequestBytes: 64 * 1024 } },
  }),
];
