import { expect, test } from "vitest";
import { WebhookEventType } from "../../../proto/gen/beta/v1/resources_pb.js";
import { eventTypes, quietTypes } from "./event-types.ts";

test("the types of events are those of the contract", () => {
  const declared = Object.keys(WebhookEventType).filter((name) => !/^\d+$/.test(name) && name !== "UNSPECIFIED");
  expect(eventTypes.map((type) => type.replace("WEBHOOK_EVENT_TYPE_", "")).toSorted()).toEqual(declared.toSorted());
  expect(eventTypes).toEqual(expect.arrayContaining([...quietTypes]));
});
