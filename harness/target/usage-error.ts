/** A target file, flag or baseline that cannot be used: one sentence saying what, where and what to do. */
export class UsageError extends Error {}
