import { expect, test } from "vitest";
import type { CaseContext } from "../case/context.ts";
import { ChosenOtherwise } from "../target/target.ts";
import { unaryReply } from "../wire/exchange.testing.ts";
import { needsSecondRotation, permitsNoRotation } from "./second-rotation.ts";

const rotateEndpoint = "beta.v1.WebhookService/RotateWebhookSecret";

const refused = (reason: string | undefined, status = 400, rpc = rotateEndpoint) => {
  const debug = { reason: `ERROR_REASON_${reason}` };
  const details = reason === undefined ? [] : [{ type: "beta.v1.ErrorDetail", value: "", debug }];
  return unaryReply(rpc, {}, { code: "failed_precondition", details }, { status });
};

test("a failed precondition, or a refusal of the caller without a reason, may be of the endpoint's state", () => {
  expect(permitsNoRotation(refused("FAILED_PRECONDITION"))).toBe(true);
  expect(permitsNoRotation(refused(undefined))).toBe(true);
  expect(permitsNoRotation(refused("RESOURCE_VERSION_CONFLICT"))).toBe(false);
  expect(permitsNoRotation(refused(undefined, 500))).toBe(false);
  expect(permitsNoRotation(refused("FAILED_PRECONDITION", 400, "beta.v1.WebhookService/UpdateWebhookEndpoint"))).toBe(
    false,
  );
});

test("where it is, there is nothing to ask; of any other refusal the case is unproven", () => {
  const needs = () => {
    throw new Error("unproven");
  };
  const context = { needs } as unknown as CaseContext;
  expect(() => needsSecondRotation(context, refused("FAILED_PRECONDITION"))).toThrow(ChosenOtherwise);
  expect(() => needsSecondRotation(context, refused("QUOTA_EXHAUSTED"))).toThrow("unproven");
  const ofSecret = refused("FAILED_PRECONDITION", 400, "beta.v1.CustomerSecretService/RotateSecret");
  expect(() => needsSecondRotation(context, ofSecret)).toThrow("unproven");
});
