import { providerError } from '@patchbay/contracts/provider-error';
import { expect, it } from 'vitest';
import { contextOf } from '../functions/fixtures/function-parts.ts';
import { createTestGateway } from './fixtures/gateway.ts';
import { chatModel, scriptedProvider, usage } from './fixtures/scripted-provider.ts';

const context = contextOf('a');
const messages = [{ role: 'user', content: 'hello' }] as const;
const weather = {
  name: 'weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
} as const;
const finish = { type: 'finish', finishReason: 'tool-calls', usage } as const;
const call = (city: unknown) =>
  ({
    type: 'tool-call',
    toolCall: { id: '1', name: 'weather', arguments: { city } as Record<string, string> },
  }) as const;

async function all<T>(events: AsyncIterable<T>): Promise<readonly T[]> {
  const seen: T[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

it('arguments arrive while the model still writes them', async () => {
  const more = Promise.withResolvers<void>();
  const writing = scriptedProvider([chatModel('m')], {
    async *stream() {
      yield { type: 'tool-arguments', id: '1', name: 'weather', text: '{"city": ' };
      await more.promise;
      yield { type: 'tool-arguments', id: '1', name: 'weather', text: '"Bern"}' };
      yield call('Bern');
      yield finish;
    },
  });
  const { gateway } = await createTestGateway({ p: writing });
  const { events } = await gateway.streamFunctionCall({ messages, functions: [weather] }, context);
  const iterator = events[Symbol.asyncIterator]();
  expect(await iterator.next()).toEqual({ done: false, value: { delta: '{"city": ' } });
  more.resolve();
  expect(await iterator.next()).toEqual({ done: false, value: { delta: '"Bern"}' } });
  const done = { model: 'p/m', functionCall: { name: 'weather', arguments: { city: 'Bern' } } };
  expect(await iterator.next()).toMatchObject({ value: { done } });
  expect((await iterator.next()).done).toBe(true);
});

it('when the pieces of calls alternate, the arguments of the call announced first are shown and returned', async () => {
  const piece = (id: string, text: string) => ({ type: 'tool-arguments', id, name: 'weather', text }) as const;
  const whole = (id: string, city: string) =>
    ({ type: 'tool-call', toolCall: { id, name: 'weather', arguments: { city } } }) as const;
  const alternating = scriptedProvider([chatModel('m')], {
    async *stream() {
      yield piece('1', '');
      yield piece('2', '{"city":');
      yield piece('1', '{"city":');
      yield piece('2', '"Oslo"}');
      yield whole('2', 'Oslo');
      yield piece('1', '"Bern"}');
      yield whole('1', 'Bern');
      yield finish;
    },
  });
  const { gateway } = await createTestGateway({ p: alternating });
  const { events } = await gateway.streamFunctionCall({ messages, functions: [weather] }, context);
  const seen = await all(events);
  expect(seen.slice(0, -1)).toEqual([{ delta: '{"city":' }, { delta: '"Bern"}' }]);
  expect(seen.at(-1)).toMatchObject({ done: { functionCall: { arguments: { city: 'Bern' } } } });
});

it('a call that does not fit is made again after a restart', async () => {
  const cities: unknown[] = [7, 'Bern'];
  const wrong = scriptedProvider([chatModel('m')], {
    async *stream() {
      yield call(cities.shift());
      yield finish;
    },
  });
  const { gateway } = await createTestGateway({ p: wrong });
  const { events } = await gateway.streamFunctionCall({ messages, functions: [weather] }, context);
  const seen = await all(events);
  expect(seen).toMatchObject([
    { delta: '{"city":7}' },
    { restart: expect.any(String) },
    { delta: '{"city":"Bern"}' },
    { done: { functionCall: { arguments: { city: 'Bern' } } } },
  ]);
});

it('another model is called if the first fails before its first piece', async () => {
  const failing = scriptedProvider([chatModel('m')], {
    stream: () => {
      throw providerError('failed', 'down');
    },
  });
  const well = scriptedProvider([chatModel('m')], {
    async *stream() {
      yield call('Bern');
      yield finish;
    },
  });
  const { gateway } = await createTestGateway({ a: failing, b: well });
  const { model, events } = await gateway.streamFunctionCall({ messages, functions: [weather] }, context);
  expect(model).toBe('b/m');
  expect(await all(events)).toHaveLength(2);
});

it('a reader that leaves ends the call at the provider, and does not count against the model', async () => {
  const ended = Promise.withResolvers<void>();
  const endless = scriptedProvider([chatModel('m')], {
    async *stream(_, signal) {
      try {
        for (;;) {
          yield { type: 'tool-arguments', id: '1', name: 'weather', text: '{' };
          signal.throwIfAborted();
        }
      } finally {
        ended.resolve();
      }
    },
  });
  const { gateway, deployments } = await createTestGateway({ p: endless });
  const { events } = await gateway.streamFunctionCall({ messages, functions: [weather] }, context);
  for await (const _ of events) break;
  await ended.promise;
  await new Promise(setImmediate);
  expect(deployments.of('p/m').observations.read()).toMatchObject({ failureRate: 0, inFlight: 0 });
});
