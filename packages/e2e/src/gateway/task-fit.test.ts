import { startUpstream, upstreamReplies } from '@patchbay/testing';
import { expect, it } from 'vitest';
import { startGateway } from './start-gateway.ts';
import { vendorKey, vendors } from './vendors.ts';

const output = { type: 'object', properties: { score: { type: 'integer' } }, required: ['score'] } as const;

it('a model that does not keep to the schema of a function is asked later for it, and explain says why', async () => {
  const [careless, careful] = await Promise.all([
    startUpstream({ dialect: 'openai' }),
    startUpstream({ dialect: 'openai' }),
  ]);
  careless.script(upstreamReplies.healthy({ text: '{"score":"high"}' }));
  careful.script(upstreamReplies.healthy({ text: '{"score":7}' }));
  const mountOf = (baseUrl: string, name: string, quality: number) => ({
    use: vendors[0]?.plugin ?? '',
    with: {
      apiKey: vendorKey,
      baseUrl,
      models: [{ name, quality, capabilities: ['chat', 'structured-output'], pricing: { input: 0, output: 0 } }],
    },
  });
  const gateway = await startGateway({
    providers: {
      careless: mountOf(careless.baseUrl, 'large', 1),
      careful: mountOf(careful.baseUrl, 'small', 0.75),
    },
  });
  const askedFirst = async (name: string): Promise<boolean> => {
    const before = careless.requests.length;
    const { status, text } = await gateway.post(`/call/${name}`, { input: { text: 'x' }, output });
    expect([status, (JSON.parse(text) as { output: unknown }).output]).toEqual([200, { score: 7 }]);
    return careless.requests.length > before;
  };
  // It is the better one by what is known beforehand, and gets more than one chance.
  expect(await askedFirst('rateIt')).toBe(true);
  let calls = 1;
  while (await askedFirst('rateIt')) calls += 1;
  expect(calls).toBeGreaterThan(1);
  expect(calls).toBeLessThan(10);
  // Only for this function.
  expect(await askedFirst('another')).toBe(true);

  const explain = async (body: object) => {
    const { text } = await gateway.post('/models/explain', body);
    return (JSON.parse(text) as { data: { id: string; reason: string }[] }).data;
  };
  const explained = await explain({ functionName: 'rateIt' });
  expect(explained.map(({ id }) => id)).toEqual(['careful/small', 'careless/large']);
  expect(explained[1]?.reason).toContain('100 % of its answers to this task did not fit');
  expect((await explain({}))[0]?.id).toBe('careless/large');
  await gateway.stop();
  await Promise.all([careless.stop(), careful.stop()]);
});
