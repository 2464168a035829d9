import { useMemo } from "preact/hooks";
import { scatteredSentences } from "../../scattered.ts";
import { useReader } from "./reader.ts";

/** What stands before all breaches where the server failed calls here and there; nothing where it did not. */
export function Scattered() {
  const { results } = useReader().report.view;
  const sentences = useMemo(() => scatteredSentences(results), [results]);
  return sentences.length === 0 ? null : <p>{sentences.join(" ")}</p>;
}
