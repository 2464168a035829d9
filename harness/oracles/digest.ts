import { createHash } from "node:crypto";

/** The hexadecimal SHA-256 of bytes, as `sha256Hex` has it. */
export function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
