import type { JsonObject } from "@bufbuild/protobuf";
import type { Call } from "../../reference/core/context.ts";
import { isObject } from "../json.ts";
import { defineVariants, type Variant } from "../variant.ts";

/** An error hook that changes the readable form of each detail. */
const debugChanged =
  (change: (debug: JsonObject, call: Call) => JsonObject) =>
  (error: JsonObject, call: Call): JsonObject => ({
    ...error,
    details: (Array.isArray(error.details) ? error.details : []).map((detail) =>
      isObject(detail) && isObject(detail.debug) ? { ...detail, debug: change(detail.debug, call) } : detail,
    ),
  });

const type = ({ row }: Call) => `${row.package}.ErrorDetail`;

/** Reasons a server can give before it has read the body. */
const early = /_(INVALID_ARGUMENT|AUTHENTICATION_REQUIRED|AUTHORIZATION_DENIED|RATE_LIMITED|INTERNAL)$/;

/** How the reference says that a request could not be read. */
const unread = /^the request is not the JSON form of /;

/** Base64 with white space in it, or with too much padding. */
const isOdd = (base64: string) => /\s|===/.test(base64) || (base64.endsWith("=") && base64.length % 4 !== 0);

/** What ErrorDetails say, and in which form. */
export const detailVariants: readonly Variant[] = [
  ...defineVariants({
    id: "details-of-own-numbers",
    says: "sends binary error details whose numbers mean something else in ours: each reads as the same reason",
    open: ["*.open.error-detail", "CP-U-26"],
    // 1: 7, whatever the reason; 5: 3.
    decoration: { error: (error, call) => ({ ...error, details: [{ type: type(call), value: "CAcoAw" }] }) },
  }),
  ...defineVariants({
    id: "details-empty",
    says: "sends binary error details with nothing in them",
    open: ["*.open.error-detail", "CP-U-26"],
    decoration: { error: (error, call) => ({ ...error, details: [{ type: type(call), value: "" }] }) },
  }),
  ...defineVariants({
    id: "details-without-reason",
    says: "gives no reason in its error details",
    open: ["*.open.error-codes", "*.open.error-detail"],
    decoration: { error: debugChanged(({ reason: _, ...debug }) => debug) },
  }),
  ...defineVariants({
    id: "details-of-unspecified-reason",
    says: "gives the listed reason UNSPECIFIED for every refusal",
    open: ["*.open.error-codes", "*.open.error-detail"],
    decoration: { error: debugChanged((debug) => ({ ...debug, reason: "ERROR_REASON_UNSPECIFIED" })) },
  }),
  ...defineVariants({
    id: "early-refusals-name-no-request",
    says: "does not repeat the requestId in what it refuses before it has read the body, nor on streams",
    open: ["*.open.error-detail", "*.open.stream-errors"],
    decoration: {
      error: debugChanged(({ requestId, ...debug }, { row }) =>
        row.stream || early.test(String(debug.reason)) || requestId === undefined ? debug : { ...debug, requestId },
      ),
    },
  }),
  ...defineVariants({
    id: "unreadable-requests-have-an-id-of-its-own",
    says: "reads no unknown field and no odd base64, and names an id of its own for what it could not read",
    open: ["*.open.error-detail", "json.request.unknown-field", "json.request.odd-base64"],
    decoration: {
      choices: { unknownRequestFields: "reject" },
      request: (json) =>
        Object.fromEntries(
          Object.entries(json).map(([name, value]) => [
            name,
            name === "value" && typeof value === "string" && isOdd(value) ? "!" : value,
          ]),
        ),
      error: (error, call) =>
        unread.test(String(error.message))
          ? debugChanged((debug) => ({ ...debug, requestId: { value: "0192f3a4-0000-7000-8000-0123456789ab" } }))(
              error,
              call,
            )
          : error,
    },
  }),
  ...defineVariants({
    id: "details-of-a-later-version",
    says: "writes fields of a later version into the readable form of its error details, and into the requestId there",
    open: ["PJ-54"],
    decoration: {
      error: debugChanged(({ requestId, ...debug }) => ({
        ...debug,
        ...(isObject(requestId) && { requestId: { ...requestId, text: "later" } }),
        later: true,
      })),
    },
  }),
];
