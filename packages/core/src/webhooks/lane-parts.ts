import type { AuditLog } from '../audit/audit-log.ts';
import type { Clock } from '../contracts/clock.ts';
import type { Logger } from '../contracts/context.ts';
import type { Queue } from '../contracts/queue.ts';
import type { Storage } from '../contracts/storage.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { Pace } from './pace.ts';
import type { Pokes } from './pokes.ts';
import type { WebhookSender } from './sending/create-webhook-sender.ts';
import type { SharedMoments } from './shared-moments.ts';

/** What deliveries are made with. */
export interface LaneParts {
  readonly storage: Storage;
  readonly queue: Pick<Queue, 'write' | 'notify'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly audit: Pick<AuditLog, 'commit'>;
  readonly box: SecretBox;
  readonly sender: Pick<WebhookSender, 'send'>;
  readonly pokes: Pokes;
  /** When deliveries begin. */
  readonly pace: Pace;
  /** When what became of deliveries is written down. */
  readonly moments: SharedMoments;
  /** A number from 0 to 1, for the jitter of the schedule. */
  readonly random: () => number;
}

/** What it takes to put deliveries on the way. */
export type LaneStorage = Pick<LaneParts, 'storage' | 'queue' | 'clock' | 'pokes'>;
