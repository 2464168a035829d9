import { onRequest } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** Takes a null for a value of the wrong type. */
const refusing = (name: string) => onRequest((json) => (json[name] === null ? { ...json, [name]: [] } : json));

/** Takes a null for true, where a field that is left out is false. */
const switched = {
  "UpdateWebhookEndpoint-null-enables": [
    "enables an endpoint where enabled is null, and not where it is left out",
    onRequest((json) => (json.enabled === null ? { ...json, enabled: true } : json)),
  ],
} as const;

export const nullFaults: readonly Fault[] = [
  ...faultsOf("input", "alpha.v1", {
    "json.request.equivalent": {
      "ListJobs-null-state-refused": ["refuses a state that is null", refusing("state")],
      "ListJobs-null-page-refused": ["refuses a page that is null", refusing("page")],
      ...switched,
    },
  }),
  ...faultsOf("input", "beta.v1", { "json.request.equivalent": switched }),
];
