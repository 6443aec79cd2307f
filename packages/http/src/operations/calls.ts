import type { JsonObject } from '@patchbay/core/plugin';
import { bodyOf, defineOperation } from '../operation.ts';
import { eventStream, eventStreamType, type Reply, type StreamEvent } from '../output/wire.ts';
import type { PathParameter } from '../routing.ts';
import type { CallEvent, CallInput, StreamedCall } from '../service-types.ts';
import { runErrors } from './executions.ts';

type CallBody = Omit<CallInput, 'input'> & { readonly input?: JsonObject; readonly stream?: boolean };

const functionName: PathParameter = {
  description: 'Name of the function, or its name as an identifier: `summarizeText` for `Summarize Text`.',
  notFound: 'function_not_found',
};

function streamed({ id, createdAt, events }: StreamedCall): Reply {
  const stream = eventStream({ event: 'start', data: { id, createdAt } }, events, toEvent);
  return { stream, mediaType: eventStreamType, headers: { 'Patchbay-Call': id } };
}

function toEvent(event: CallEvent): StreamEvent {
  if ('partial' in event) return { event: 'delta', data: { output: event.partial } };
  if ('restart' in event) return { event: 'restart', data: { detail: event.restart } };
  if ('log' in event) return { event: 'log', data: event.log };
  return { event: 'done', data: event.done };
}

const callEvents =
  '`start` with `id` and `createdAt`; `delta` with all of the `output` so far, which for a generator is what it yields; `restart` when a model has to write it again, ' +
  'with the reason; with `logs`, `log` for each line that code logs; `done` with the whole call. A failure after the start is an `error` event with the problem document. A ' +
  'stream that ends without `done` has failed.';

const callFunctionByName = defineOperation({
  id: 'callFunctionByName',
  method: 'POST',
  path: '/call/:name',
  area: 'functions',
  scope: 'functions:execute',
  limit: 'execute',
  summary: 'Call a function by name',
  description:
    'Executes the stored function of this name. Where there is none, a model answers, as far as the server allows ' +
    'calls of functions that are not stored; the caller then needs the scope `gateway:invoke` as well, as it does to choose a ' +
    '`model`.',
  params: { name: functionName },
  body: bodyOf<CallBody>({ schema: 'CallRequest', limitBytes: 1_048_576, optional: true }),
  success: {
    status: 200,
    description: 'The output, and where it is from.',
    schema: 'Call',
    headers: ['Patchbay-Call'],
    streams: callEvents,
  },
  errors: ['function_not_found', 'ambiguous_function_name', 'schema_invalid', 'execution_cancelled', ...runErrors],
  async isModelCall({ params, context }, { services: { calls } }) {
    return !(await calls.isStored(params.name, context));
  },
  async handle({ params, body: { stream, input = {}, ...rest }, context }, { services: { calls } }) {
    const name = params.name;
    const call = { input, ...rest };
    if (stream) return streamed(await calls.stream(name, call, context));
    const made = await calls.call(name, call, context);
    return { json: made, headers: { 'Patchbay-Call': made.id } };
  },
});

export const callOperations = [callFunctionByName];
