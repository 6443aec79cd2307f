import openai from '@patchbay/provider-openai';
import { readEvents } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import { adminKey } from '../driver/server-process.ts';
import type { ServerHereInUse } from '../driver/use-server-here.ts';
import { gatewayRequests } from './requests.ts';
import { startGateway } from './start-gateway.ts';

/** Area B as it is right after the installation: no vendor has a key. */
export function demoSuite(server: ServerHereInUse): void {
  describe('without any key', () => {
    it('the models are those of the demo', async () => {
      const { body } = await server.ask('GET', '/models');
      const models = body['data'] as readonly { readonly provider: string }[];
      expect(new Set(models.map(({ provider }) => provider))).toEqual(new Set(['demo']));
      expect((await server.ask('GET', '/models/demo/extractive')).body).toMatchObject({
        pricing: { input: 0, output: 0 },
      });
    });

    it.each(gatewayRequests.filter(({ streams }) => !streams))(
      '$path answers, and says that no model did',
      async (request) => {
        const { status, headers, body } = await server.ask('POST', request.path, request.body);
        expect(status).toBe(200);
        expect(body['model']).toMatch(/^demo\//);
        expect(headers.get('patchbay-route')).toMatch(/^auto;candidates=1;/);
        expect(String(body['warnings'])).toMatch(/is not a language model|does not understand meaning/);
        expect(await server.ask('POST', request.path, request.body)).toMatchObject({
          body: { ...body, id: expect.any(String), createdAt: expect.any(String) },
        });
      },
    );

    it.each(gatewayRequests.filter(({ streams }) => streams))('$path streams', async ({ path, body }) => {
      const response = await fetch(server.running.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const events = readEvents(await response.text());
      expect([events[0]?.event, events.at(-1)?.event]).toEqual(['start', 'done']);
      expect(String(events.at(-1)?.data['warnings'])).toContain('is not a language model');
    });
  });

  it('a model of a vendor without a key is off, and says why', async () => {
    const gateway = await startGateway({ providers: { openai: { use: openai } } });
    const { status, headers, text } = await gateway.post('/generate', { prompt: 'x', model: 'openai/gpt-4.1' });
    await gateway.stop();
    expect([status, headers.get('retry-after'), headers.get('x-should-retry')]).toEqual([503, null, 'false']);
    expect(JSON.parse(text)).toMatchObject({
      code: 'provider_not_configured',
      retryable: false,
      detail:
        'the provider openai of the model openai/gpt-4.1 is off: no apiKey is set; ' +
        'the built-in config takes it from OPENAI_API_KEY',
    });
  });
}
