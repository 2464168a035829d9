import { onRequest } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** Takes a null for a value of the wrong type. */
const refusing = (name: string) => onRequest((json) => (json[name] === null ? { ...json, [name]: [] } : json));

export const nullFaults: readonly Fault[] = faultsOf("input", "alpha.v1", {
  "json.request.equivalent": {
    "ListJobs-null-state-refused": ["refuses a state that is null", refusing("state")],
    "ListJobs-null-page-refused": ["refuses a page that is null", refusing("page")],
  },
});
