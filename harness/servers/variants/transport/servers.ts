import type { TargetFile } from "../../../target/schema.ts";
import { createCertificate } from "../../reference/certificate.ts";
import { systemClock } from "../../reference/core/clock.ts";
import { defineAlphaVariant, defineVariants, type Variant } from "../variant.ts";

function withAlpha(file: TargetFile, changes: Partial<NonNullable<TargetFile["alpha"]>>): TargetFile {
  return { ...file, alpha: { ...file.alpha, ...changes } };
}

/** A clock that runs apart from everybody else's. */
const skewed = (byMs: number) => () => ({ clock: { ...systemClock, now: () => systemClock.now() + byMs } });

/** Addresses, certificates, clocks, and what a target file may leave out. */
export const serverVariants: readonly Variant[] = [
  defineAlphaVariant({
    id: "one-address",
    says: "serves everything, fixtures too, at one address",
    open: ["alpha.open.fixture-sharing"],
    decoration: { choices: { oneUrl: true } },
    target: (file) => withAlpha(file, { oneServer: true }),
  }),
  defineAlphaVariant({
    id: "fixtures-alone",
    says: "serves nothing but fixtures at the test address",
    open: ["alpha.open.fixture-sharing"],
    decoration: { choices: { testUrlServesAll: false } },
  }),
  ...defineVariants({
    id: "https",
    says: "serves HTTPS, and HTTP/2 by ALPN, under a certificate of its own",
    open: ["TR-01", "TR-26"],
    decoration: {},
    server: () => ({ tls: createCertificate() }),
    target: (file) => ({ ...file, tls: { insecure: true } }),
  }),
  ...defineVariants({
    id: "clock-ahead",
    says: "has a clock 40 seconds ahead",
    open: ["UU-06"],
    decoration: {},
    server: skewed(40_000),
  }),
  ...defineVariants({
    id: "clock-behind",
    says: "has a clock 40 seconds behind",
    open: ["UU-06"],
    decoration: {},
    server: skewed(-40_000),
  }),
  ...defineVariants({
    id: "clock-far-behind",
    says: "has a clock 90 seconds behind, behind a web server that dates its replies by the right one",
    open: ["UU-06"],
    decoration: {},
    server: skewed(-90_000),
  }),
  ...defineVariants({
    id: "dates-of-a-while-ago",
    says: "dates its replies by a clock that is read once a second, and was read up to two seconds ago",
    open: ["TR-02"],
    decoration: {
      raw: (_request, response, next) => {
        response.setHeader("date", new Date(Math.floor(Date.now() / 1000 - 1) * 1000).toUTCString());
        next();
      },
    },
  }),
  defineAlphaVariant({
    id: "bare-target-file",
    says: "is described by a base URL and one key",
    open: ["alpha.open.mini-apps"],
    decoration: {},
    target: ({ name = "", alpha, patience }) => ({
      name,
      patience,
      alpha: {
        baseUrl: alpha?.baseUrl,
        workspaceId: alpha?.workspaceId,
        apiKeys: { all: alpha?.apiKeys?.all },
      },
    }),
    permits: ["not-exercised"],
  }),
  defineAlphaVariant({
    id: "no-second-workspace",
    says: "is described without a second workspace, limited keys or a receiver",
    open: ["alpha.open.mini-apps"],
    decoration: {},
    target: ({ webhooks: _, ...file }) =>
      withAlpha(file, { secondWorkspace: undefined, apiKeys: { all: file.alpha?.apiKeys?.all } }),
    permits: ["not-exercised"],
  }),
  defineAlphaVariant({
    id: "no-keys",
    says: "is described by addresses alone",
    open: ["alpha.open.mini-apps"],
    decoration: {},
    target: ({ alpha, patience }) => ({
      patience,
      alpha: { baseUrl: alpha?.baseUrl, testBaseUrl: alpha?.testBaseUrl, workspaceId: alpha?.workspaceId },
    }),
    permits: ["not-exercised"],
  }),
];
