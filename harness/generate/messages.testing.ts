import type { DescMessage } from "@bufbuild/protobuf";
import { rpcs } from "../../proto/rpcs.ts";

/** For the tests of this folder: every request and response message of the contract, once. */
export const messagesUnderTest: readonly DescMessage[] = [
  ...new Map(rpcs.flatMap((row) => [row.input, row.output]).map((message) => [message.typeName, message])).values(),
];
