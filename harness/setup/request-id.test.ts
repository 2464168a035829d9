import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import { freshRequestId } from "./request-id.ts";

const setup = { requestId: () => ({ value: "fresh" }) };

test("a row that takes a requestId gets one not used before, under its own field's name", () => {
  expect(freshRequestId(rpc("alpha.v1.SecretService/CreateSecret"), setup)).toEqual({ requestId: { value: "fresh" } });
});

test("a row that takes none gets none", () => {
  expect(freshRequestId(rpc("alpha.v1.SecretService/GetSecret"), setup)).toEqual({});
});
