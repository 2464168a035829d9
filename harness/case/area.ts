/**
 * What part of the contract a case is about: the first part of its id, and a column of the report's matrix. In the order
 * a reader meets them: from the bytes up to whole scenarios.
 */
export const areas = [
  "wire",
  "transport",
  "auth",
  "isolation",
  "input",
  "idempotency",
  "version",
  "paging",
  "stream",
  "lifecycle",
  "secrecy",
  "events",
] as const;
export type Area = (typeof areas)[number];

/** The area of a case id. */
export function areaOf(id: string): Area {
  return id.slice(0, id.indexOf("/")) as Area;
}
