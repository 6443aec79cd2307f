import type { RequestContext } from '@patchbay/contracts/context';
import type { JsonObject } from '@patchbay/contracts/json';
import type { WebhookEvent } from '../events/webhook-outbox.ts';

/** The audited actions, and what each means. */
export const auditActions = {
  'function.created': 'A function was created',
  'function.updated': 'A function was replaced, or an old version of it restored',
  'function.deleted': 'A function was deleted',
  'function.settings.updated': 'The settings of a function were written, deleted, or another version made current',
  'experiment.started': 'An experiment between versions of the settings of a function was started',
  'experiment.ended': 'An experiment was stopped, or its winner took the label over',
  'experiment.rolled_back': 'A label was given back to the version that it had before an experiment',
  'dataset.imported': 'Examples were added to the dataset of a function, or changed',
  'dataset.deleted': 'An example of a function was deleted, or all of them',
  'schedule.created': 'A schedule of a function was created',
  'schedule.updated': 'A schedule of a function was replaced, paused or resumed',
  'schedule.paused': 'The server paused a schedule, because the key that it runs as is not valid any more',
  'schedule.deleted': 'A schedule of a function was deleted',
  'functions.imported': 'Functions were brought in from another installation',
  'feedback.deleted': 'Feedback was deleted',
  'function.evidence.applied': 'Scores of an evaluation were added to what automatic choice knows, or taken back',
  'key.created': 'An API key was made',
  'key.rotated': 'An API key got a new secret',
  'key.revoked': 'An API key was revoked',
  'session.started': 'A caller signed in to the console',
  'session.ended': 'A session of the console was ended',
  'webhook.created': 'A webhook was made',
  'webhook.updated': 'A webhook was replaced, enabled or disabled',
  'webhook.rotated': 'A webhook got a new secret',
  'webhook.deleted': 'A webhook was deleted',
  'webhook.disabled': 'The server disabled a webhook, because it is gone or has failed for days',
  'webhook.replayed': 'Events were sent to a webhook again',
} as const;

export type AuditAction = keyof typeof auditActions;

/** One audited action. */
export interface AuditEvent {
  readonly action: AuditAction;
  readonly resource: { readonly type: string; readonly id: string };
  /** The changes, without secrets and without content of callers: the log outlives deleted rows. */
  readonly details?: JsonObject;
  /** The webhook events. */
  readonly announces?: readonly WebhookEvent[];
}

/** Caller, tenant and address of an action; a request context contains them. */
export type AuditActor = Pick<RequestContext, 'caller'> & {
  /** Absent if it was not caused by a request. */
  readonly requestId?: string;
  readonly remoteAddress?: string;
};
