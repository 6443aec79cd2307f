/** How much of the content of calls is stored, from the least to the most. */
export const contentLevels = ['off', 'metadata', 'full'] as const;

export type ContentLevel = (typeof contentLevels)[number];
