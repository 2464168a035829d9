import type { JsonObject } from "@bufbuild/protobuf";
import { rpcs } from "../../../../proto/rpcs.ts";
import { forRpc, type PlainResponse, type WireHooks } from "../../reference/core/decoration.ts";
import { applyOperator, type Site } from "./operator.ts";

interface FormSite extends Site {
  readonly says: string;
  readonly breaks: string;
  readonly besides?: Besides | undefined;
  readonly hooks: (rpc: string) => WireHooks;
}

/** What a form breaks beside its clause. */
interface Besides {
  readonly also?: readonly string[];
  readonly entails?: readonly string[];
}

type Row = readonly [id: string, says: string, breaks: string, hooks: (rpc: string) => WireHooks, besides?: Besides];

type Change = (response: PlainResponse) => Partial<PlainResponse>;

const replying =
  (fits: (response: PlainResponse) => boolean, change: Change) =>
  (rpc: string): WireHooks => ({
    http: forRpc(rpc, (response: PlainResponse) => (fits(response) ? { ...response, ...change(response) } : response)),
  });
const isError = ({ status }: PlainResponse) => status !== 200;
const isSuccess = ({ status }: PlainResponse) => status === 200;
const typed =
  (type: string): Change =>
  ({ headers }) => ({ headers: { ...headers, "content-type": type } });
const body =
  (text: string): Change =>
  () => ({ body: Buffer.from(text) });
const changing =
  (change: (error: JsonObject) => JsonObject) =>
  (rpc: string): WireHooks => ({ error: forRpc(rpc, change) });

const ofUnary: readonly Row[] = [
  [
    "refused-with-200",
    "sends its errors with status 200",
    "connect.error.not-200",
    replying(isError, () => ({ status: 200 })),
  ],
  [
    "refused-with-418",
    "sends its errors with a status that is of no code",
    "connect.error.status",
    replying(isError, () => ({ status: 418 })),
    // An unknown codec is to be refused with 415, and with nothing else.
    { entails: ["connect.request.codec"] },
  ],
  [
    "refused-as-text",
    "sends its errors as text/plain",
    "connect.error.content-type",
    replying(isError, typed("text/plain")),
  ],
  [
    "refused-in-words",
    "sends its errors as a sentence",
    "connect.error.shape",
    replying(isError, body("this is refused")),
  ],
  [
    "refused-as-list",
    "sends its errors in a list",
    "connect.error.shape",
    replying(isError, (response) => body(`[${Buffer.from(response.body)}]`)(response)),
  ],
  [
    "served-with-202",
    "sends its successes with status 202",
    "connect.unary.status",
    replying(isSuccess, () => ({ status: 202 })),
  ],
  [
    "served-with-400",
    "sends its successes with status 400",
    "connect.error.shape",
    replying(isSuccess, () => ({ status: 400 })),
    { also: ["*.endpoints.served"] },
  ],
  [
    "served-as-text",
    "sends its successes as text/plain",
    "connect.unary.content-type",
    replying(isSuccess, typed("text/plain")),
  ],
  [
    "served-twice",
    "sends its successes twice over",
    "connect.unary.one-object",
    replying(isSuccess, (response) => body(`${Buffer.from(response.body)}${Buffer.from(response.body)}`)(response)),
  ],
];

const withoutCode = ({ code: _code, ...error }: JsonObject) => error;

const ofAll: readonly Row[] = [
  ["code-missing", "sends errors without a code", "connect.error.shape", changing(withoutCode)],
  [
    "code-undeclared",
    "sends errors of a code that is none",
    "connect.error.code",
    changing((error) => ({ ...error, code: "refused" })),
  ],
  [
    "code-as-number",
    "sends the code of its errors as a number",
    "connect.error.shape",
    changing((error) => ({ ...error, code: 7 })),
  ],
];

const unary = rpcs.filter((row) => !row.stream);
/** What an end-stream holds is judged as part of it. */
const inEnd = (breaks: string, stream: boolean) =>
  stream && breaks === "connect.error.shape" ? "connect.stream.end-shape" : breaks;

export const answerForms = applyOperator({
  name: "answer-form",
  area: "transport",
  says: ({ says }) => says,
  breaks: ({ breaks }) => breaks,
  also: ({ besides }) => besides?.also ?? [],
  entails: ({ besides }) => besides?.entails ?? [],
  sites: [
    ...ofUnary.flatMap(([which, says, breaks, hooks, besides]) =>
      unary.map((row): FormSite => ({ row, which, says, breaks, hooks, besides })),
    ),
    ...ofAll.flatMap(([which, says, breaks, hooks]) =>
      rpcs.map((row): FormSite => ({ row, which, says, breaks: inEnd(breaks, row.stream), hooks })),
    ),
  ],
  plant: ({ row, hooks }) => hooks(row.name),
});
