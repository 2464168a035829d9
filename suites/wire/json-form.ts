import { defineInvariant } from "../../harness/case/case.ts";
import { judgeErrorDetail } from "../../harness/oracles/error-detail.ts";
import { judgeForm } from "../../harness/oracles/json-form.ts";

/** The JSON form of every message the target sends. */
export const messageForm = defineInvariant({
  id: "wire/messages-have-contract-form",
  says: "every field of every reply has the JSON form the contract gives its type",
  clauses: [
    "*.wire.uuid",
    "*.wire.uuid-v7",
    "*.wire.int64",
    "*.wire.u32",
    "*.wire.timestamp",
    "*.wire.duration",
    "*.wire.enum",
    "*.wire.list",
    "*.wire.map",
    "*.wire.camel-case",
    "json.reply.scalars",
    "json.reply.range",
    "json.reply.timestamp",
    "json.reply.timestamp-digits",
    "json.reply.duration",
    "json.reply.duration-digits",
    "json.reply.nulls",
    "json.reply.base64",
  ],
  rows: () => true,
  judge(reply) {
    if (reply.messages.length === 0) return undefined;
    return reply.messages.flatMap(({ json }) => judgeForm(reply.row.output, json).breaches);
  },
  observe: (reply) =>
    reply.messages.flatMap(({ json }) => {
      const { unknown, nulls } = judgeForm(reply.row.output, json);
      const extra = unknown.map((path) => ({
        clause: "*.open.extra-fields",
        value: `sends ${path.replaceAll(/\[\d+\]/g, "[]")}`,
      }));
      return nulls
        ? [...extra, { clause: "json.reply.nulls", value: "writes null for fields that are not set" }]
        : extra;
    }),
});

export const errorDetailForm = defineInvariant({
  id: "wire/error-details-are-well-formed",
  says: "an ErrorDetail on a failed call is well-formed and about that call",
  clauses: ["*.errors.detail", "*.errors.request-id", "*.errors.violations"],
  rows: () => true,
  judge: (reply) => (reply.outcome === "refused" ? (judgeErrorDetail(reply) ?? []) : undefined),
  observe(reply) {
    if (reply.outcome !== "refused") return [];
    const { error } = reply;
    const where = !reply.row.stream ? "" : error.status === 200 ? " in the end-stream" : ` by HTTP ${error.status}`;
    return [
      {
        clause: "*.open.error-detail",
        value:
          error.detail !== undefined
            ? "refusals carry an ErrorDetail"
            : error.unread
              ? "refusals carry an ErrorDetail in binary alone, which cannot be read without its field numbers"
              : "refusals carry no ErrorDetail",
      },
      { clause: "*.open.error-codes", value: `${error.reason ?? "no reason"}: ${error.code}, HTTP ${error.status}` },
      ...(where === "" ? [] : [{ clause: "*.open.stream-errors", value: `a refusal comes${where}` }]),
    ];
  },
});
