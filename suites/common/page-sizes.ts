/** How many records pages are asked for: few, so that there is more than one, and many, which may be looked up otherwise. */
export const fewAndMany: readonly number[] = [1, 100];
