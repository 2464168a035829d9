/** Lets work go on by itself. Should it fail, that is a fault of the reference: it is said aloud, and the service lives on. */
export function inBackground(work: Promise<void>): void {
  work.catch((error: unknown) => process.emitWarning(error instanceof Error ? error : String(error)));
}
