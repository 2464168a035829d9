import { useLayoutEffect, useRef } from "preact/hooks";

/** What single keys do. Read anew on each press, so that a page may give them from what it shows. */
export type Keys = Readonly<Record<string, (() => void) | undefined>>;

/** Listens to single keys while the reader is not typing and holds no modifier. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  // Before the page is shown: a key pressed as soon as it is there must be heard.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const typing = event.target instanceof Element && event.target.matches("input, select, textarea");
      if (typing || document.querySelector("dialog[open]") !== null) return;
      const act = latest.current[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}
