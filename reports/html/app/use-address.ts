import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Address, addressOf, hashOf } from "../address.ts";
import type { Filter } from "../filter.ts";

/** How long typing must rest before it reaches the address bar: browsers ration changes of it. */
const restMs = 250;

/** Where the reader is, as the fragment of the page's address says, and a way to change the filter there. */
export function useAddress(): readonly [Address, (filter: Filter) => void] {
  const [address, setAddress] = useState(() => addressOf(location.hash));
  const pending = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    const follow = () => {
      clearTimeout(pending.current);
      setAddress(addressOf(location.hash));
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  const narrow = useCallback((filter: Filter) => {
    setAddress((current) => {
      const next = { ...current, filter };
      clearTimeout(pending.current);
      pending.current = setTimeout(() => replaceHash(hashOf(next)), restMs);
      return next;
    });
  }, []);
  return [address, narrow];
}

function replaceHash(hash: string): void {
  try {
    history.replaceState(history.state, "", hash);
  } catch {
    // A file in a sandbox may not write its address; the filter works all the same.
  }
}

/**
 * On a new page, goes to its top, or to where the reader left it when they come back, and moves the focus to its
 * heading, so that a screen reader says where it is. The first page keeps what the browser does with it.
 */
export function usePlaceOnPage(page: string, title: string): void {
  const left = useRef(new Map<string, number>());
  const before = useRef<string>(undefined);
  const back = useRef(false);
  useEffect(() => {
    history.scrollRestoration = "manual";
    const remember = () => before.current !== undefined && left.current.set(before.current, scrollY);
    const comeBack = () => {
      back.current = true;
    };
    const byLink = (event: MouseEvent) => {
      if (event.target instanceof Element && event.target.closest("a[href^='#']") !== null) back.current = false;
    };
    addEventListener("scroll", remember, { passive: true });
    addEventListener("popstate", comeBack);
    document.addEventListener("click", byLink);
    return () => {
      removeEventListener("scroll", remember);
      removeEventListener("popstate", comeBack);
      document.removeEventListener("click", byLink);
    };
  }, []);
  useLayoutEffect(() => {
    document.title = title;
    if (before.current === page) return;
    const first = before.current === undefined;
    before.current = page;
    if (first) return;
    document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
    if (document.querySelector("[data-arrival]") === null)
      scrollTo(0, back.current ? (left.current.get(page) ?? 0) : 0);
  }, [page, title]);
}
