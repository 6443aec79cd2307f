import * as bodies from './replies/bodies.ts';
import { healthy } from './replies/healthy.ts';
import * as sizes from './replies/sizes.ts';
import * as statuses from './replies/statuses.ts';
import * as streams from './replies/streams.ts';
import { delayed, hang, hangAfterHeaders, hangMidBody, trickle } from './replies/timing.ts';
import * as wire from './replies/wire.ts';

/**
 * Replies for `script` of an upstream: one function per behaviour of a provider's server. `healthy` is the valid
 * response; `status`, `body` and `altered` take the content to send; the others are faults that need at most a size.
 */
export const upstreamReplies = {
  healthy,
  ...statuses,
  ...bodies,
  ...sizes,
  ...streams,
  ...wire,
  delayed,
  hang,
  hangAfterHeaders,
  hangMidBody,
  trickle,
} as const;
