import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Address } from "../address.ts";
import type { Filter } from "../filter.ts";
import type { Report } from "../report.ts";

/** What every part of the page knows: the report, where the reader is, and how to narrow it. */
export interface Reader {
  readonly report: Report;
  readonly address: Address;
  /** Stays on the page, narrowed to something else. */
  narrow(filter: Filter): void;
}

const Context = createContext<Reader | undefined>(undefined);

export const ReaderProvider = Context.Provider;

/** The reader of this page. */
export function useReader(): Reader {
  const reader = useContext(Context);
  if (reader === undefined) throw new Error("a part of the report stands outside it");
  return reader;
}
