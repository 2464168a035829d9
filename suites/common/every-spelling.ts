import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import { equivalentSpellings } from "../../harness/generate/spelling.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";

/** A request with one of its equivalent JSON texts. */
export interface Spelled {
  /** Of the spelling. */
  readonly name: string;
  readonly request: JsonObject;
  readonly body: string;
}

/** A request in each of its equivalent JSON texts (docs/contract/connect-protocol.md#json-requests), each under a requestId of its own. */
export function inEverySpelling({ row, setup }: CaseContext, request: JsonObject): readonly Spelled[] {
  return equivalentSpellings(row.input, request).flatMap(({ name }) => {
    const own = { ...request, ...freshRequestId(row, setup) };
    return equivalentSpellings(row.input, own)
      .filter((one) => one.name === name)
      .map(({ body }): Spelled => ({ name, request: own, body }));
  });
}
