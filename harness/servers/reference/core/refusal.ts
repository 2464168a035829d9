/** Why a call is refused: a value of the package's ErrorReason, without its `ERROR_REASON_` prefix. */
export type Reason =
  | "INVALID_ARGUMENT"
  | "AUTHENTICATION_REQUIRED"
  | "AUTHORIZATION_DENIED"
  | "RESOURCE_NOT_FOUND"
  | "IDEMPOTENCY_CONFLICT"
  | "RESOURCE_VERSION_CONFLICT"
  | "FAILED_PRECONDITION"
  | "QUOTA_EXHAUSTED"
  | "RATE_LIMITED"
  | "CONCURRENCY_EXHAUSTED"
  | "BILLING_BLOCKED"
  | "CHECKSUM_MISMATCH"
  | "DEPENDENCY_UNAVAILABLE"
  | "APP_STOPPED"
  | "VERSION_STOPPED"
  | "SPEC_INVALID"
  | "TOOL_UNSUPPORTED"
  | "APPROVAL_REQUIRED"
  | "APPROVAL_EXPIRED"
  | "OUTCOME_UNKNOWN"
  | "COST_UNVERIFIED"
  | "INTERNAL";

/** A value of RetryGuidance, without its `RETRY_GUIDANCE_` prefix. */
export type Guidance =
  | "AFTER_DELAY"
  | "AFTER_DEPENDENCY_RECOVERY"
  | "AFTER_REAUTHENTICATION"
  | "AFTER_STATE_CHANGE"
  | "DO_NOT_RETRY";

/** One offending field of a request. */
export interface Violation {
  /** camelCase path as it stands in JSON: `secretId.value`. */
  readonly field: string;
  readonly description: string;
}

/** A call that is not served, and what its caller may know about it. */
export class Refusal extends Error {
  readonly reason: Reason;
  readonly violations: readonly Violation[];
  readonly retryAfterSeconds: number;

  constructor(
    reason: Reason,
    message: string,
    more: { violations?: readonly Violation[]; retryAfterSeconds?: number } = {},
  ) {
    super(message);
    this.name = "Refusal";
    this.reason = reason;
    this.violations = more.violations ?? [];
    this.retryAfterSeconds = more.retryAfterSeconds ?? 0;
  }
}

/** Refuses the call. `message` must name no credential and no secret. */
export function refuse(
  reason: Reason,
  message: string,
  more?: { violations?: readonly Violation[]; retryAfterSeconds?: number },
): never {
  throw new Refusal(reason, message, more);
}

/** Refuses the call for its fields. */
export function refuseFields(...violations: readonly Violation[]): never {
  refuse("INVALID_ARGUMENT", `invalid ${violations.map((violation) => violation.field).join(", ")}`, { violations });
}

const guidance: Partial<Record<Reason, Guidance>> = {
  AUTHENTICATION_REQUIRED: "AFTER_REAUTHENTICATION",
  RESOURCE_VERSION_CONFLICT: "AFTER_STATE_CHANGE",
  FAILED_PRECONDITION: "AFTER_STATE_CHANGE",
  APPROVAL_REQUIRED: "AFTER_STATE_CHANGE",
  QUOTA_EXHAUSTED: "AFTER_DELAY",
  RATE_LIMITED: "AFTER_DELAY",
  CONCURRENCY_EXHAUSTED: "AFTER_DELAY",
  BILLING_BLOCKED: "AFTER_STATE_CHANGE",
  DEPENDENCY_UNAVAILABLE: "AFTER_DEPENDENCY_RECOVERY",
};

/** What a caller should do after a refusal for `reason`. */
export function guidanceFor(reason: Reason): Guidance {
  return guidance[reason] ?? "DO_NOT_RETRY";
}
