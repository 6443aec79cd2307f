import { PatchbayError } from '@patchbay/core';
import { parseIdempotencyKey } from '../idempotent.ts';
import { defineOperation } from '../operation.ts';

const cancelRequests = defineOperation({
  id: 'cancelRequests',
  method: 'DELETE',
  path: '/requests',
  area: 'system',
  scope: 'authenticated',
  summary: 'Cancel requests under way',
  description:
    'Cancels the requests of the caller that were sent with this `Idempotency-Key` and are under way, at any endpoint: a ' +
    'function is killed, a model call is closed. A client that gives up on a request with a key sends this, because such a ' +
    'request does not end with its connection. Cancelling what has ended, or never began, changes nothing.',
  headers: { 'Idempotency-Key': 'The key of the requests to cancel.' },
  success: {
    status: 200,
    description: 'How many requests this process has cancelled; other processes on the storage are notified.',
    schema: 'RequestCancellation',
  },
  errors: [],
  async handle({ header, context }, { services: { idempotency } }) {
    const key = header('idempotency-key');
    if (key === undefined)
      throw new PatchbayError('invalid_request', 'send the Idempotency-Key of the requests to cancel');
    return { json: { cancelled: idempotency.cancel(context.caller, parseIdempotencyKey(key)) } };
  },
});

export const requestOperations = [cancelRequests];
