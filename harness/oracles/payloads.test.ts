import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import { unaryReply } from "../wire/exchange.testing.ts";
import { judgePayloads, showsPayloads } from "./payloads.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const digest = Buffer.alloc(32, 7).toString("base64");

function breachesOf(approval: JsonObject) {
  return judgePayloads(unaryReply("beta.v1.ApprovalService/GetApproval", {}, { approval }))?.map(
    ({ clause, at }) => `${clause} ${at}`,
  );
}

describe("showsPayloads", () => {
  test("is true of rows with digests as bytes or payloads, at any depth", () => {
    expect(showsPayloads(rpc("beta.v1.ApprovalService/ListApprovals"))).toBe(true);
    expect(showsPayloads(rpc("beta.v1.RunService/GetRunPayload"))).toBe(true);
    expect(showsPayloads(rpc("beta.v1.RunService/GetRun"))).toBe(false);
    expect(showsPayloads(rpc("alpha.v1.ArtifactService/GetArtifact"))).toBe(false);
  });
});

describe("judgePayloads", () => {
  test("says nothing of a reply without either", () => {
    expect(breachesOf({ state: "APPROVAL_STATE_PENDING" })).toBeUndefined();
  });

  test("finds nothing wrong with whole ones", () => {
    const proposedArguments = { encoding: "PAYLOAD_ENCODING_JSON", value: base64('{"a":1}'), schemaSha256: digest };
    expect(breachesOf({ argumentSha256: digest, proposedArguments })).toEqual([]);
    expect(breachesOf({ argumentSha256: digest, proposedArguments: { value: base64("no JSON") } })).toEqual([]);
  });

  test("finds a digest of another length, and JSON that is none", () => {
    const proposedArguments = { encoding: "PAYLOAD_ENCODING_PROTO_JSON", value: base64('{"a":'), schemaSha256: "AAAA" };
    expect(breachesOf({ argumentSha256: base64("short"), proposedArguments })).toEqual([
      "*.payloads.encoding approval.proposedArguments.value",
      "*.digests.length approval.proposedArguments.schemaSha256",
      "*.digests.length approval.argumentSha256",
    ]);
  });
});
