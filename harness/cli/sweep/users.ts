import { linesOf } from "../../evidence/lines.ts";
import { UsageError } from "../../target/load.ts";
import { isOwnName } from "./find.ts";

const id = /"externalUserId":"([^"\\]+)"/g;

/**
 * External ids of the customer users a run asked for, from its evidence. That of a run that broke off will do: what it
 * had written by then is looked through.
 * @throws UsageError where it cannot be read
 */
export function usersIn(evidence: string): readonly string[] {
  const creating: string[] = [];
  const look = (line: string) => {
    if (line.includes("/CreateCustomerUserGrant")) creating.push(line);
  };
  try {
    for (const line of linesOf(evidence, look)) look(line);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`--evidence ${evidence} cannot be read (${code}); check the path.`);
  }
  // Bodies are texts within the line's own JSON.
  const named = creating.flatMap((line) =>
    [...line.replaceAll('\\"', '"').matchAll(id)].map(([, found]) => found ?? ""),
  );
  return [...new Set(named.filter(isOwnName))];
}
