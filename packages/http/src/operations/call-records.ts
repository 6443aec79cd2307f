import { decimalUsd, jsonTextOf } from '@patchbay/core';
import { prefersType } from '../input/headers.ts';
import { defineOperation } from '../operation.ts';
import { viewOf } from '../output/view.ts';
import { eventStreamType } from '../output/wire.ts';
import type { PathParameter } from '../routing.ts';
import type { CallRecord, FollowedCalls, StoredContent } from '../service-types.ts';
import { listQuery, pageReply, since } from './pages.ts';

const callId: PathParameter = { description: 'Id of the answer.', notFound: 'call_not_found' };
const read = { area: 'system', scope: 'calls:read' } as const;
const outcomes = ['completed', 'repaired', 'failed', 'cancelled', 'cached'] as const;

const view = viewOf('CallRecord');

function callJson({ costNanoUsd, functionId, name, model, executionId, steps, decision, ...row }: CallRecord): object {
  return view({
    ...row,
    functionId: functionId || null,
    name: name || null,
    model: model || null,
    executionId: executionId || null,
    decision: decision && decisionJson(decision),
    steps: steps ?? [],
    cost: costNanoUsd === null ? null : { amount: decimalUsd(costNanoUsd), currency: 'USD' },
  });
}

function decisionJson({ chances, ...decision }: NonNullable<CallRecord['decision']>): object {
  if (!chances) return decision;
  const candidates = chances.flatMap(([propensity, ...models]) => models.map((model) => ({ model, propensity })));
  return { ...decision, candidates };
}

const listCalls = defineOperation({
  ...read,
  id: 'listCalls',
  method: 'GET',
  path: '/calls',
  summary: 'List calls',
  description:
    'Executions, calls by name, chats, generations and function calls of the last 30 days, by when they ended: who answered, ' +
    'how it was chosen, what happened in between, and the end of it. They are recorded without their content. With ' +
    '`Accept: text/event-stream`, those that end from now on, or from `since`: each about a second later, in the order in ' +
    'which they ended, on all servers. The stream ends after five minutes, to be continued with the credentials of then.',
  headers: {
    Accept: '`text/event-stream`: calls as they end, without pages.',
    'Last-Event-ID': 'Id of the last event that was received: the stream goes on after it. With the same filters.',
  },
  query: {
    ...listQuery(['createdAt']),
    functionId: { type: 'string', maxLength: 255, description: 'Only calls of this function.' },
    model: { type: 'string', maxLength: 255, description: 'Only calls that this model answered, or failed last.' },
    keyId: { type: 'string', maxLength: 255, description: 'Only calls of this principal.' },
    outcome: { type: 'string', enum: outcomes, description: 'Only calls that ended like this.' },
    since,
  },
  success: {
    status: 200,
    description: 'A page of calls.',
    schema: 'CallRecordPage',
    streams: '`call` for each call, with an `id` from which `Last-Event-ID` resumes.',
  },
  errors: [],
  async handle({ query: { functionId, model, keyId, outcome, since: from, ...query }, context, header }, { services }) {
    const wanted = { functionId, model, keyId, outcome, since: from };
    if (prefersType(header('accept'), eventStreamType, 'application/json')) {
      const calls = services.callRecords.follow(wanted, header('last-event-id') || undefined, context);
      return { stream: callStream(calls), mediaType: eventStreamType };
    }
    return await pageReply(query, (page) => services.callRecords.list(wanted, page, context), callJson);
  },
});

async function* callStream(calls: FollowedCalls): AsyncGenerator<string> {
  yield ': following\n\n';
  for await (const followed of calls) {
    if (!followed) yield ': nothing new\n\n';
    else yield `id: ${followed.place}\nevent: call\ndata: ${jsonTextOf(callJson(followed.call))}\n\n`;
  }
}

const getCall = defineOperation({
  ...read,
  id: 'getCall',
  method: 'GET',
  path: '/calls/:id',
  summary: 'Read how a call was answered',
  description:
    'By the id in the header `Patchbay-Call` of the answer, which on endpoints outside `/v1` is also its `id`.',
  params: { id: callId },
  success: { status: 200, description: 'The call.', schema: 'CallRecord' },
  errors: ['call_not_found'],
  handle: async ({ params, context }, { services: { callRecords } }) => ({
    json: callJson(await callRecords.get(params.id, context)),
  }),
});

const getCallContent = defineOperation({
  id: 'getCallContent',
  method: 'GET',
  path: '/calls/:id/content',
  area: 'system',
  scope: 'calls:content',
  summary: 'Read the content of a call',
  description:
    'What was asked and answered, as far as it is stored: `callRecords.content` of the config is `off` by default. A request ' +
    'to an endpoint of a vendor’s API is as its client sent it, any other as the gateway received it. `redacted`, `cut` and ' +
    '`omitted` have JSON Pointers to what is missing.',
  params: { id: callId },
  success: {
    status: 200,
    description: 'The content. With the level `off`, nothing of it is stored, or nothing any more.',
    schema: 'CallContent',
  },
  errors: ['call_not_found'],
  async handle({ params, context }, { services: { callRecords } }) {
    return { json: contentJson(params.id, await callRecords.content(params.id, context)) };
  },
});

const nothingStored = {
  level: 'off',
  summary: null,
  request: null,
  response: null,
  repairs: [],
  redacted: [],
  cut: [],
  omitted: [],
} as const;

function contentJson(id: string, content: StoredContent | undefined): object {
  if (!content) return { id, ...nothingStored };
  const { documents, ...rest } = content;
  return { id, ...nothingStored, ...rest, ...documents };
}

export const callRecordOperations = [listCalls, getCall, getCallContent];
