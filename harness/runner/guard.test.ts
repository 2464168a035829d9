import { expect, test } from "vitest";
import { NotExercised } from "../target/target.ts";
import { createRequestGuard, RequestLimitReached, WithheldByReadOnly } from "./guard.ts";

const url = (method: string) => `http://127.0.0.1:1/base/alpha.v1.SecretService/${method}`;

test("a read-only run sends reads, and nothing that may change something", () => {
  const guard = createRequestGuard({ readOnly: true });
  for (const request of [
    { url: url("GetSecret") },
    { url: url("ListSecrets") },
    { url: url("GetSecret"), method: "GET" },
    { url: "http://127.0.0.1:1/download", method: "GET" },
  ])
    expect(() => guard.admit(request)).not.toThrow();
  for (const request of [
    { url: url("CreateSecret") },
    { url: url("DeleteSecret"), method: "GET" },
    { url: url("CreateSecret"), rpc: "alpha.v1.SecretService/GetSecret" },
    { url: url("NoSuchMethod") },
    { url: "http://127.0.0.1:1/upload", method: "PUT" },
    { url: "no url" },
  ])
    expect(() => guard.admit(request)).toThrow(WithheldByReadOnly);
});

test("an RPC that makes an address is no read, whatever it leaves unchanged", () => {
  const guard = createRequestGuard({ readOnly: true });
  for (const name of [
    "alpha.v1.ArtifactService/CreateArtifactDownload",
    "beta.v1.HostedService/CreateHostedApprovalLink",
  ])
    expect(() => guard.admit({ url: `http://127.0.0.1:1/${name}` })).toThrow(`${name} makes an address`);
});

test("what is withheld is not exercised, and says what would exercise it", () => {
  const guard = createRequestGuard({ readOnly: true });
  expect(() => guard.admit({ url: url("CreateSecret") })).toThrow(NotExercised);
  expect(() => guard.admit({ url: url("CreateSecret") })).toThrow(
    "needs a run without --read-only: alpha.v1.SecretService/CreateSecret may change something",
  );
});

test("no request is sent beyond the most", () => {
  const guard = createRequestGuard({ maxRequests: 2 });
  guard.admit({ url: url("CreateSecret") });
  guard.admit({ url: url("CreateSecret") });
  expect(() => guard.admit({ url: url("GetSecret") })).toThrow(RequestLimitReached);
  expect(() => guard.admit({ url: url("GetSecret") })).toThrow(
    "the run has sent the 2 requests that --max-requests allows",
  );
  expect(() => createRequestGuard().admit({ url: url("CreateSecret") })).not.toThrow();
});
