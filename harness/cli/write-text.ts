import { UsageError } from "../target/load.ts";
import { output } from "./output.ts";

/** Writes a file an option names. @throws UsageError where it cannot be written */
export function writeText(option: string, file: string, text: string): void {
  try {
    output.write(file, text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${option} ${file} cannot be written (${code}); choose another path.`);
  }
}
