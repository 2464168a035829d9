import { forRpc, onRpc } from "../../reference/core/decoration.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { changedReply } from "../edit.ts";
import { defineFault, type Fault } from "../fault.ts";

const service = "alpha.v1.CatalogService";

const limits = [
  "maximumAttempts",
  "maximumDuration",
  "artifactConstraints.acceptedMimeTypes",
  "artifactConstraints.maximumObjectSizeBytes",
  "artifactConstraints.maximumInputCount",
  "artifactConstraints.defaultRetention",
  "artifactConstraints.maximumRetention",
];

/** Where the descriptors of the two RPCs stand. */
const places = [
  ["GetMiniApp", "miniApp"],
  ["ListMiniApps", "miniApps[]"],
] as const;

const kebab = (path: string) => path.replaceAll(".", "-");

export const catalogFaults: readonly Fault[] = [
  // One of the two RPCs for each limit, by turns.
  ...limits.map((limit, index) => {
    const [rpc, path] = places[index % 2 === 0 ? 0 : 1];
    return defineFault({
      id: `lifecycle/${rpc}-without-${kebab(limit)}`,
      says: `${rpc} does not publish ${limit}`,
      breaks: "alpha.catalog.limits",
      rpc: `${service}/${rpc}`,
      decoration: changedReply(`${service}/${rpc}`, `${path}.${limit}`, () => undefined),
    });
  }),
  ...places.map(([rpc, path]) =>
    defineFault({
      id: `lifecycle/${rpc}-without-scopes`,
      says: `${rpc} does not list the scopes of operations`,
      breaks: "alpha.catalog.operation-scopes",
      rpc: `${service}/${rpc}`,
      decoration: changedReply(`${service}/${rpc}`, `${path}.operations[].apiKeyScopes`, () => undefined),
    }),
  ),
  defineFault({
    id: "lifecycle/GetMiniApp-refuses-a-listed-one",
    says: "GetMiniApp refuses a mini app that is listed",
    breaks: "alpha.endpoints.served",
    rpc: `${service}/GetMiniApp`,
    decoration: {
      parts: ({ validate }) => ({
        validate: onRpc(`${service}/GetMiniApp`, validate, (context) => {
          validate(context);
          if (JSON.stringify(context.call.request).includes("image-thumbnails")) {
            refuse("RESOURCE_NOT_FOUND", "no such mini app");
          }
        }),
      }),
    },
  }),
  defineFault({
    id: "lifecycle/ListMiniApps-describes-another",
    says: "ListMiniApps shows the operations of one mini app at every other",
    breaks: "alpha.records.agree",
    rpc: `${service}/ListMiniApps`,
    decoration: {
      reply: forRpc(`${service}/ListMiniApps`, (json) => {
        const [first, ...others] = json.miniApps as { operations: string[] }[];
        const last = others.at(-1) ?? first;
        return { ...json, miniApps: [first, ...others].map((one) => ({ ...one, operations: last?.operations ?? [] })) };
      }),
    },
  }),
];
