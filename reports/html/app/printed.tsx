import { useEffect, useState } from "preact/hooks";
import { FailuresPage } from "./failures-page.tsx";

/** On paper the failures follow the matrix: nobody can follow a link there. */
export function PrintedFailures() {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const start = () => setPrinting(true);
    const end = () => setPrinting(false);
    addEventListener("beforeprint", start);
    addEventListener("afterprint", end);
    return () => {
      removeEventListener("beforeprint", start);
      removeEventListener("afterprint", end);
    };
  }, []);
  return printing ? (
    <div class="printed">
      <FailuresPage />
    </div>
  ) : null;
}
