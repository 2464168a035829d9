import { Code } from "@connectrpc/connect";
import { alphaChoices } from "../reference/alpha/choices.ts";
import { type AlphaVariant, defineVariant } from "./variant.ts";

/** Codes, details and forms of refusals. */
export const answerVariants: readonly AlphaVariant[] = [
  defineVariant({
    id: "codes-few",
    says: "tells every refusal but those for credentials as invalid_argument or failed_precondition",
    open: ["alpha.open.error-codes"],
    decoration: {
      choices: {
        codes: {
          ...alphaChoices.codes,
          AUTHORIZATION_DENIED: Code.Unauthenticated,
          RESOURCE_NOT_FOUND: Code.InvalidArgument,
          IDEMPOTENCY_CONFLICT: Code.FailedPrecondition,
          RESOURCE_VERSION_CONFLICT: Code.FailedPrecondition,
          CHECKSUM_MISMATCH: Code.InvalidArgument,
        },
      },
    },
  }),
  defineVariant({
    id: "codes-far",
    says: "maps reasons to codes nobody would guess",
    open: ["alpha.open.error-codes"],
    decoration: {
      choices: {
        codes: {
          ...alphaChoices.codes,
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
  defineVariant({
    id: "no-error-detail",
    says: "refuses with a Connect error alone",
    open: ["alpha.open.error-detail", "TR-08"],
    decoration: { choices: { errorDetailPresent: false } },
  }),
  defineVariant({
    id: "details-binary",
    says: "sends error details without a readable debug form",
    open: ["alpha.open.error-detail", "CP-U-26"],
    decoration: { choices: { errorDebug: false } },
  }),
  defineVariant({
    id: "details-numbered-otherwise",
    says: "sends binary error details whose field numbers are its own, since the contract gives none",
    open: ["alpha.open.error-detail", "CP-U-26"],
    decoration: {
      choices: { errorDebug: false },
      error: (error) => ({
        ...error,
        // 1: correlation id, 2: reason 7, 3: request id as text, 4: guidance 2.
        details: [{ type: "alpha.v1.ErrorDetail", value: "CgRhYmNkEAcaBGVmZ2ggAg" }],
      }),
    },
  }),
  defineVariant({
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
  defineVariant({
    id: "terse-errors",
    says: "sends errors of a code and nothing else",
    open: ["alpha.open.error-detail", "TR-08"],
    decoration: { error: ({ code = "unknown" }) => ({ code }) },
  }),
  defineVariant({
    id: "empty-errors",
    says: "answers unary errors by their status alone",
    open: ["alpha.open.error-detail", "alpha.open.error-codes", "TR-09"],
    decoration: { choices: { errorBody: "empty" } },
  }),
  defineVariant({
    id: "refused-stream-http",
    says: "refuses a stream by an HTTP error",
    open: ["alpha.open.stream-errors", "TR-13"],
    decoration: { choices: { refusedStream: "http error" } },
  }),
  defineVariant({
    id: "unknown-rpc-501",
    says: "answers unknown RPCs as unimplemented, with 501",
    open: ["TR-11"],
    decoration: { choices: { unknownMethodAnswer: "501 unimplemented" } },
  }),
  defineVariant({
    id: "unknown-rpc-404-json",
    says: "answers unknown RPCs as unimplemented, with 404",
    open: ["TR-11"],
    decoration: { choices: { unknownMethodAnswer: "404 unimplemented" } },
  }),
  defineVariant({
    id: "foreign-is-unknown",
    says: "answers what belongs to another workspace as not found",
    open: ["alpha.open.foreign-answer"],
    decoration: { choices: { foreignWorkspaceAnswer: "not-found" } },
  }),
  defineVariant({
    id: "router-answers-html",
    says: "answers unknown paths with a page for people",
    open: ["TR-10"],
    decoration: {
      raw(request, response, next) {
        if (
          /^\/(alpha\.v1\.(Artifact|Catalog|Job|PublicTestFixture|Secret|Webhook)Service|uploads|downloads)\//.test(
            request.url ?? "",
          )
        )
          return next();
        request.resume();
        response.writeHead(404, { "content-type": "text/html" }).end("<!doctype html><title>Not found</title>");
      },
    },
  }),
  defineVariant({
    id: "wrong-method-404",
    says: "answers every method but POST as an unknown path",
    open: ["TR-10"],
    decoration: {
      raw(request, response, next) {
        if (request.method === "POST" || !(request.url ?? "").startsWith("/alpha.v1.")) return next();
        request.resume();
        response.writeHead(404).end();
      },
    },
  }),
];
