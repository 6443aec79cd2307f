/** The stages of a chat, in the order in which the rungs of `hot-path.ts` add them. */
export const stages = ['socket', 'pipeline', 'credentials', 'limits', 'body', 'plan', 'commits', 'upstream'] as const;

export type Stage = (typeof stages)[number];
