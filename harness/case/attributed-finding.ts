import { isShownBySeveral } from "./expected-words.ts";
import type { Finding } from "./result.ts";

/** A finding, and the case that made it. */
export interface AttributedFinding {
  readonly finding: Pick<Finding, "clause" | "rpc" | "level" | "expected" | "actual" | "at">;
  /** Id of the case and its RPC: one case that finds the same twice counts once. */
  readonly by: string;
}

/** True of findings that a place in an order is for. */
export type Place = (one: AttributedFinding) => boolean;

/** The place of findings on these clauses. */
export const on =
  (clauses: RegExp): Place =>
  ({ finding: { clause } }) =>
    clauses.test(clause);

/** The case that only asks an RPC to serve a valid call. */
const plainCall = "lifecycle/valid-call-is-served ";

/** True of what the plain call of an RPC found. */
export const isPlain = ({ by }: AttributedFinding) => by.startsWith(plainCall);
/** True of a call that was refused where it was to be served. */
export const isRefusal = ({ finding: { actual } }: AttributedFinding) => actual.startsWith("refused: ");
/** True of a call that got nothing to judge. */
export const isUnusable = ({ finding: { actual } }: AttributedFinding) => actual.startsWith("no usable reply");

/** A call was refused for what its caller is, or may. */
export const isDenied = ({ finding: { actual } }: AttributedFinding) =>
  /permission_denied|unauthenticated|AUTHORIZATION_DENIED|AUTHENTICATION_REQUIRED|HTTP 40[13]/.test(actual);

/** True of a finding about what a call shows that changes nothing. */
export const isReading = ({ finding: { rpc } }: AttributedFinding) => /\/(Get|List)\w+$/.test(rpc);

/** The id of the case that made a finding, and the RPC that the case is about. */
const madeBy = ({ by }: AttributedFinding) => by.split(/[ #]/);
export const caseOf = (one: AttributedFinding) => madeBy(one)[0] ?? "";
export const aboutOf = (one: AttributedFinding) => madeBy(one)[1] ?? "";

/** The service of the RPC that a finding is about: `alpha.v1.SecretService`. */
export const serviceOf = ({ finding: { rpc } }: AttributedFinding) => rpc.slice(0, rpc.indexOf("/"));

/** The field a finding is about, after its RPC. */
export const placeIn = ({ finding: { rpc, at = "" } }: AttributedFinding) => `${rpc} ${at}`;

/** The last name in a path: `name` in `secret.name`. */
export const fieldIn = ({ finding: { at = "" } }: AttributedFinding) => at.slice(at.lastIndexOf(".") + 1);

/** True of a reply found to disagree with several that agree with each other: the odd one out is likelier wrong than any of them. */
export const isOddOneOut = ({ finding: { expected } }: AttributedFinding) => isShownBySeveral(expected);
