/** Every event type an endpoint may subscribe to. */
export const eventTypes = [
  "WEBHOOK_EVENT_TYPE_RUN_STATE_CHANGED",
  "WEBHOOK_EVENT_TYPE_RUN_COMPLETED",
  "WEBHOOK_EVENT_TYPE_RUN_FAILED",
  "WEBHOOK_EVENT_TYPE_RUN_OUTCOME_UNKNOWN",
  "WEBHOOK_EVENT_TYPE_APPROVAL_REQUIRED",
] as const;

/** Types of events that hardly ever happen: for endpoints whose deliveries are not the question. */
export const quietTypes = ["WEBHOOK_EVENT_TYPE_RUN_FAILED", "WEBHOOK_EVENT_TYPE_RUN_OUTCOME_UNKNOWN"] as const;
