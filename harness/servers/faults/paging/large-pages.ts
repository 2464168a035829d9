import type { Message } from "@bufbuild/protobuf";
import { readField } from "../../reference/core/fields.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { forgetting } from "./filters.ts";

/** A page of so many records is read by other code than a short one. */
const large = 50;

const isLarge = (request: Message): boolean =>
  ((readField(request, "page") as { readonly pageSize: number } | undefined)?.pageSize ?? 0) >= large;

/** Forgets a filter on large pages. */
const onLargePages = (name: string) =>
  [`forgets ${name} on pages of ${large} records or more`, forgetting(name, "every page", isLarge)] as const;

export const largePages: readonly Fault[] = [
  ...faultsOf("paging", "alpha.v1", {
    "*.filters.hold": { "ListJobs-large-pages-of-any-state": onLargePages("state") },
  }),
  ...faultsOf("paging", "beta.v1", {
    "*.filters.hold": {
      "ListApprovals-large-pages-of-any-state": onLargePages("state"),
      "ListRuns-large-pages-of-any-session": onLargePages("sessionId"),
      "ListArtifacts-large-pages-of-any-job": onLargePages("jobId"),
    },
  }),
];
