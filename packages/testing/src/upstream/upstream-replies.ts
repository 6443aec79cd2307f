import { healthy } from './replies/healthy.ts';
import { refusal, status } from './replies/statuses.ts';

/** What `script` of an upstream is made of. */
export const upstreamReplies = { healthy, refusal, status } as const;
