import type { RunOrder } from "../case/order.ts";
import type { EvidenceHeader } from "./events.ts";

/** What the command line hands to the conformance spec; crosses to vitest's worker, so plain data. */
export interface Handover {
  readonly order: RunOrder;
  /** Where the evidence is written, and how it begins; none where it is left out. */
  readonly evidence?: { readonly file: string; readonly header: EvidenceHeader };
}

declare module "vitest" {
  interface ProvidedContext {
    hallmark: Handover | undefined;
    /** Of Hallmark's own tests: whether every fault is proved, or a share of them. */
    proof: "whole" | "share";
  }
}
