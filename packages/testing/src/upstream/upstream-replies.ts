import * as bodies from './replies/bodies.ts';
import { healthy } from './replies/healthy.ts';
import * as sizes from './replies/sizes.ts';
import * as statuses from './replies/statuses.ts';
import * as streams from './replies/streams.ts';
import { delayed, hang, hangAfterHeaders, hangMidBody, trickle } from './replies/timing.ts';
import * as wire from './replies/wire.ts';

/**
 * What `script` of an upstream is made of: one function per thing that a provider's server does. `healthy` is the good
 * answer; `status`, `body` and `altered` take what to send; the others are faults that need no more than a size.
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
