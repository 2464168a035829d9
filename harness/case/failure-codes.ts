/** Codes by which a server says that it failed itself, whatever it was asked for. */
export const failureCodes: ReadonlySet<string> = new Set(["internal", "unknown", "data_loss"]);
