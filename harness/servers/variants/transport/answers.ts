import { Code } from "@connectrpc/connect";
import { rpcs } from "../../../../proto/rpcs.ts";
import { coreChoices } from "../../reference/core/defaults.ts";
import { defineVariants, type Variant } from "../variant.ts";

/** First segments of the paths a reference serves. */
const known = new Set([
  ...rpcs.map((row) => row.name.slice(0, row.name.indexOf("/"))),
  ...["uploads", "downloads", "approvals", "voice"],
]);

const isService = (path = "") => /^\/(alpha|beta)\.v1\./.test(path);

/** Codes, details and forms of refusals. */
export const answerVariants: readonly Variant[] = [
  ...defineVariants({
    id: "codes-few",
    says: "tells every refusal but those for credentials as invalid_argument or failed_precondition",
    open: ["*.open.error-codes"],
    decoration: {
      choices: {
        codes: {
          ...coreChoices.codes,
          AUTHORIZATION_DENIED: Code.Unauthenticated,
          RESOURCE_NOT_FOUND: Code.InvalidArgument,
          IDEMPOTENCY_CONFLICT: Code.FailedPrecondition,
          RESOURCE_VERSION_CONFLICT: Code.FailedPrecondition,
          CHECKSUM_MISMATCH: Code.InvalidArgument,
        },
      },
    },
  }),
  ...defineVariants({
    id: "codes-far",
    says: "maps reasons to codes nobody would guess",
    open: ["*.open.error-codes"],
    decoration: {
      choices: {
        codes: {
          ...coreChoices.codes,
          INVALID_ARGUMENT: Code.OutOfRange,
          AUTHENTICATION_REQUIRED: Code.PermissionDenied,
          AUTHORIZATION_DENIED: Code.NotFound,
          RESOURCE_NOT_FOUND: Code.PermissionDenied,
          IDEMPOTENCY_CONFLICT: Code.Aborted,
          RESOURCE_VERSION_CONFLICT: Code.AlreadyExists,
          FAILED_PRECONDITION: Code.Aborted,
          CHECKSUM_MISMATCH: Code.DataLoss,
        },
      },
    },
  }),
  ...defineVariants({
    id: "no-error-detail",
    says: "refuses with a Connect error alone",
    open: ["*.open.error-detail", "TR-08"],
    decoration: { choices: { errorDetailPresent: false } },
  }),
  ...defineVariants({
    id: "details-binary",
    says: "sends error details without a readable debug form",
    open: ["*.open.error-detail", "CP-U-26"],
    decoration: { choices: { errorDebug: false } },
  }),
  ...defineVariants({
    id: "details-numbered-otherwise",
    says: "sends binary error details whose field numbers are its own, since the contract gives none",
    open: ["*.open.error-detail", "CP-U-26"],
    decoration: {
      choices: { errorDebug: false },
      error: (error, { row }) => ({
        ...error,
        // 1: correlation id, 2: reason 7, 3: request id as text, 4: guidance 2.
        details: [{ type: `${row.package}.ErrorDetail`, value: "CgRhYmNkEAcaBGVmZ2ggAg" }],
      }),
    },
  }),
  ...defineVariants({
    id: "details-among-others",
    says: "puts foreign details, and keys of its own, around the ErrorDetail",
    open: ["CP-U-26", "CP-U-27", "TR-08"],
    decoration: {
      error: ({ details, ...error }) => ({
        ...error,
        docs: "https://status.invalid/errors",
        details: [
          { type: "google.rpc.RequestInfo", value: "CgNhYmM" },
          ...(Array.isArray(details) ? details : []),
          { type: "google.rpc.Help", value: "", note: "nothing more" },
        ],
      }),
    },
  }),
  ...defineVariants({
    id: "terse-errors",
    says: "sends errors of a code and nothing else",
    open: ["*.open.error-detail", "TR-08"],
    decoration: { error: ({ code = "unknown" }) => ({ code }) },
  }),
  ...defineVariants({
    id: "empty-errors",
    says: "answers unary errors by their status alone",
    open: ["*.open.error-detail", "*.open.error-codes", "TR-09"],
    decoration: { choices: { errorBody: "empty" } },
  }),
  ...defineVariants({
    id: "refused-stream-http",
    says: "refuses a stream by an HTTP error",
    open: ["*.open.stream-errors", "TR-13"],
    decoration: { choices: { refusedStream: "http error" } },
  }),
  ...defineVariants({
    id: "unknown-rpc-501",
    says: "answers unknown RPCs as unimplemented, with 501",
    open: ["TR-11"],
    decoration: { choices: { unknownMethodAnswer: "501 unimplemented" } },
  }),
  ...defineVariants({
    id: "unknown-rpc-404-json",
    says: "answers unknown RPCs as unimplemented, with 404",
    open: ["TR-11"],
    decoration: { choices: { unknownMethodAnswer: "404 unimplemented" } },
  }),
  ...defineVariants({
    id: "foreign-is-unknown",
    says: "answers what belongs to another workspace as not found",
    open: ["*.open.foreign-answer"],
    decoration: { choices: { foreignWorkspaceAnswer: "not-found" } },
  }),
  ...defineVariants({
    id: "router-answers-html",
    says: "answers unknown paths with a page for people",
    open: ["TR-10"],
    decoration: {
      raw(request, response, next) {
        if (known.has(request.url?.split("/")[1] ?? "")) return next();
        request.resume();
        response.writeHead(404, { "content-type": "text/html" }).end("<!doctype html><title>Not found</title>");
      },
    },
  }),
  ...defineVariants({
    id: "wrong-method-404",
    says: "answers every method but POST as an unknown path",
    open: ["TR-10"],
    decoration: {
      raw(request, response, next) {
        if (request.method === "POST" || !isService(request.url)) return next();
        request.resume();
        response.writeHead(404).end();
      },
    },
  }),
];
