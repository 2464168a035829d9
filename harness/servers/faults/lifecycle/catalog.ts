import type { JsonObject } from "@bufbuild/protobuf";
import { refuse } from "../../reference/core/refusal.ts";
import { inReply, onReply } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsOf, inEach } from "../table.ts";
import { drop } from "../values.ts";

const shown = { GetMiniApp: "miniApp", ListMiniApps: "miniApps[]" };

const limits = [
  "maximumAttempts",
  "maximumDuration",
  "artifactConstraints.acceptedMimeTypes",
  "artifactConstraints.maximumObjectSizeBytes",
  "artifactConstraints.maximumInputCount",
  "artifactConstraints.defaultRetention",
  "artifactConstraints.maximumRetention",
];

/** One of the two RPCs leaves each limit out, by turns. */
const withoutLimits = limits.map((limit, index) => {
  const [method, path] = index % 2 === 0 ? ["GetMiniApp", shown.GetMiniApp] : ["ListMiniApps", shown.ListMiniApps];
  const name = `${method}-without-${limit.replaceAll(".", "-")}`;
  return [name, [`does not publish ${limit}`, inReply(`${path}.${limit}`, drop)]] as const;
});

export const catalogFaults: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.catalog.operation-scopes": inEach(shown, (path) => ({
    "without-scopes": ["does not list the scopes of operations", inReply(`${path}.operations[].apiKeyScopes`, drop)],
    "scopes-of-another-rpc": [
      "lists the scope of another RPC for each operation",
      inReply(`${path}.operations[].apiKeyScopes`, () => ["jobs:write"]),
    ],
  })),
  "*.catalog.operations": inEach(shown, (path) => ({
    "fixture-jobs-synchronous": [
      "says that jobs of fixtures are executed synchronously",
      inReply(`${path}.operations[].executionMode`, () => "EXECUTION_MODE_SYNCHRONOUS"),
    ],
  })),
  "*.catalog.metered": inEach(shown, (path) => ({
    "free-for-all": [
      "calls every operation free",
      inReply(`${path}.operations[]`, (operation) => ({ ...(operation as JsonObject), free: true })),
    ],
  })),
  "*.endpoints.served": {
    "GetMiniApp-refuses-a-listed-one": [
      "refuses a mini app that is listed",
      replacing(({ validate }) => ({
        validate(context) {
          validate(context);
          if (JSON.stringify(context.call.request).includes("image-thumbnails"))
            refuse("RESOURCE_NOT_FOUND", "no such mini app");
        },
      })),
    ],
  },
  "*.records.agree": {
    // The other RPC goes on showing it, at the same version.
    ...Object.fromEntries(withoutLimits),
    "ListMiniApps-describes-another": [
      "shows the operations of one mini app at every other",
      onReply((json) => {
        const listed = json.miniApps as JsonObject[];
        const operations = listed.at(-1)?.operations ?? [];
        return { ...json, miniApps: listed.map((one) => ({ ...one, operations })) };
      }),
    ],
  },
});
