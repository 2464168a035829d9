import { UsageError } from "../target/load.ts";

/** The oldest Node that has what Hallmark and its dependencies build on, as `engines` of package.json says it to npm. */
export const oldestNode = [22, 19] as const;

/**
 * Finds out before anything is loaded that would break on it.
 * @throws UsageError where Node is too old
 */
export function checkNode(version = process.versions.node): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor, oldestMinor] = oldestNode;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new UsageError(
    `Hallmark needs Node ${oldestNode.join(".")} or newer, and this is ${version}; install a newer Node.`,
  );
}
