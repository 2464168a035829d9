import type { CaseResult, ExchangeEvidence, Results } from "../../../harness/case/result.ts";
import type { History } from "../../history.ts";
import { type EvidenceBlock, evidenceBlock, historyBlock, resultsBlock } from "../embed.ts";

/** The results that stand in the page, without their exchanges. */
export function readResults(): Results {
  return JSON.parse(textOf(resultsBlock)) as Results;
}

/** What is known of earlier runs; undefined where the page was written without any. */
export function readHistory(): History | undefined {
  const text = textOf(historyBlock);
  return text === "" ? undefined : (JSON.parse(text) as History);
}

const blocks = new Map<string, EvidenceBlock>();

/** The exchanges of a case; the block of its RPC is read when it is first asked for. */
export function evidenceOf({ rpc, id }: CaseResult): readonly ExchangeEvidence[] {
  let block = blocks.get(rpc);
  if (block === undefined) {
    block = JSON.parse(textOf(evidenceBlock(rpc)) || "{}") as EvidenceBlock;
    blocks.set(rpc, block);
  }
  return Object.hasOwn(block, id) ? (block[id] ?? []) : [];
}

function textOf(id: string): string {
  return document.getElementById(id)?.textContent ?? "";
}
