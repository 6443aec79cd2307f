import { eventKinds, messageSchema } from '@patchbay/core';

const header = (name: string, description: string) => {
  return { name, in: 'header', required: true, description, schema: { type: 'string' } } as const;
};

const headers = [
  header('webhook-id', 'Id of the event: the same for every attempt.'),
  header('webhook-timestamp', 'Time of the attempt, in seconds since 1970.'),
  header('webhook-signature', 'One or more signatures, `v1,` and base64 (Standard Webhooks).'),
];

const answers = {
  '2XX': { description: 'Taken. Anything else is tried again.' },
  '410': { description: 'The webhook is disabled.' },
};

/** The requests that this service sends, for the `webhooks` of its OpenAPI document: one for each kind of event. */
export function webhooksSection(): Readonly<Record<string, object>> {
  return Object.fromEntries(
    (Object.keys(eventKinds) as (keyof typeof eventKinds)[]).map((kind) => {
      const { summary, example } = eventKinds[kind];
      const message = { type: kind, timestamp: '2026-01-31T12:00:00.000Z', data: example };
      const content = {
        'application/json': { schema: messageSchema(kind), examples: { message: { value: message } } },
      };
      const requestBody = { required: true, content };
      return [kind, { post: { summary, parameters: headers, requestBody, responses: answers, security: [] } }];
    }),
  );
}
