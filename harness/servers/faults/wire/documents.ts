import { rpc } from "../../../../proto/rpcs.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** What holds a JSON document, by the RPC that stores it. */
const documents = {
  "beta.v1.MemoryService/UpdateMemoryItem": "valueJson",
  "beta.v1.CustomerUserService/UpdateCustomerUserGrant": "attributesJson",
};

/** What is taken for JSON though it is none. */
const taken: readonly (readonly [what: string, says: string, takes: (text: string) => boolean])[] = [
  ["anything", "whatever it is", () => true],
  ["lax-json", "a trailing comma or single quotes", (document) => /^\[1,]$|'/.test(document)],
  ["several-documents", "two documents in a row", (document) => /} {/.test(document)],
  ["commented-json", "a comment", (document) => document.includes("/*")],
  ["unquoted-names", "a name without quotes", (document) => /\{\w/.test(document)],
  ["padded-numbers", "a number with a leading zero", (document) => /:0\d/.test(document)],
  ["broken-strings", "a string with a line break", (document) => /"[^"]*\n/.test(document)],
  ["foreign-bytes", "bytes that are no UTF-8", (document) => document.includes("�")],
];

/** Stores what is no JSON document. */
export const documentFaults: readonly Fault[] = Object.entries(documents).flatMap(([name, field]) =>
  taken.flatMap(([what, says, takes]) =>
    faultsAt([rpc(name)], {
      id: `wire/stores-${what}`,
      says: `stores ${says} as ${field}`,
      breaks: "*.wire.json-documents-in",
      decorate: replacing((parts) => ({
        validate(context) {
          const document = Buffer.from(String(context.call.request[field] ?? ""), "base64").toString();
          if (!takes(document)) parts.validate(context);
        },
      })),
    }),
  ),
);
