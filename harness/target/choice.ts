/** How the reason of a case begins that the target's choice left nothing to ask. */
export const nothingToAsk = "nothing to ask: ";
