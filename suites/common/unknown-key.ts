/** A key the target never issued. It is made up, so it may be shown. */
export const unknownKey = "hallmark-unknown-key-0123456789abcdef";

/** What a caller sends who has it. */
export const unknownBearer = `Bearer ${unknownKey}`;
