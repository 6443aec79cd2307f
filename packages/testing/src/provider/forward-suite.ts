import assert from 'node:assert/strict';
import type { Dialect, ForwardedResponse, ForwardRequest } from '@patchbay/core/provider';
import { testContext } from '../test-context.ts';
import { upstreamReplies } from '../upstream/upstream-replies.ts';
import { assertEndsWith, failure } from './assertions.ts';
import { apiKey, type ProviderSubject, type ProviderSuite } from './provider-under-test.ts';

const encoder = new TextEncoder();
const oddSpaces = '{ "unknown":\t[1.0, "\\u00e9"] , "usage": {} }\n';

/** Requests in the vendor's own dialect, for providers that forward them. */
export function forwardSuite({ runner, options, it }: ProviderSuite): void {
  const { forwards: dialect, chatModel: model } = options;
  if (dialect === undefined) return;

  const request = (more: Partial<ForwardRequest> = {}): ForwardRequest => {
    const stream = more.stream ?? false;
    return { dialect, model, body: encoder.encode(bodyOf(dialect, model, stream)), headers: {}, stream, ...more };
  };
  const forward = async ({ provider }: ProviderSubject, asked = request(), signal?: AbortSignal) => {
    const response = provider.forward?.(asked, testContext(signal && { signal }));
    assert.ok(response, 'the provider has forward');
    return await response;
  };

  runner.describe('forwarding', () => {
    it('is said of the model', async ({ provider }) => {
      const found = (await provider.models()).find(({ name }) => name === model);
      assert.ok(found?.dialects?.includes(dialect), `the model ${model} lists ${dialect} in \`dialects\``);
    });

    it('sends the bytes as they are, with the headers and the key', async (subject) => {
      const headers = { 'anthropic-beta': 'new-2026-11-01', 'openai-beta': 'new=v1' };
      const sent = request({ headers });
      textOf(await forward(subject, sent));
      const [received] = subject.upstream.requests;
      assert.equal(received?.body, new TextDecoder().decode(sent.body));
      for (const [name, value] of Object.entries(headers)) assert.equal(received.headers[name], value, name);
      assert.ok(JSON.stringify(received.headers).includes(apiKey), 'the key of the provider is sent');
    });

    it('returns a complete response as it came', async (subject) => {
      subject.upstream.script(upstreamReplies.body(oddSpaces));
      const response = await forward(subject);
      assert.equal(response.status, 200);
      assert.ok(response.headers['content-type']?.startsWith('application/json'));
      assert.equal(textOf(response), oddSpaces);
    });

    it('returns a stream piece by piece', async (subject) => {
      const release = Promise.withResolvers<void>();
      subject.upstream.script(upstreamReplies.pausedMidStream({ text: 'one two three four' }, release.promise));
      const pieces = piecesOf(await forward(subject, request({ stream: true })));
      let text = '';
      for await (const bytes of pieces) {
        text += new TextDecoder().decode(bytes);
        // The rest is sent only once the first half was seen.
        if (text.includes('two')) release.resolve();
      }
      assert.ok(text.includes('four'));
    });

    for (const status of [400, 404, 413, 422, 429]) {
      it(`throws a refusal with ${status} together with the vendor's words, without the key`, async (subject) => {
        subject.upstream.script(upstreamReplies.body(`{"error": "${apiKey}?"}`, { status }));
        const { upstream } = await refusalOf(forward(subject));
        assert.equal(upstream?.refusal?.status, status);
        assert.equal(Buffer.from(upstream.refusal.body).toString(), '{"error": "[redacted]?"}');
      });
    }

    for (const status of [401, 402, 403, 500, 503]) {
      it(`throws ${status} without the vendor's words`, async (subject) => {
        subject.upstream.script(upstreamReplies.status(status));
        const { upstream } = await refusalOf(forward(subject));
        assert.equal(upstream?.refusal, undefined);
      });
    }

    it('does not take the model for gone because of a 404, which any member of a request can cause', async (subject) => {
      subject.upstream.script(upstreamReplies.status(404));
      const { upstream } = await refusalOf(forward(subject));
      assert.equal(upstream?.kind, 'rejected');
    });

    it('ends with the reason of its signal', async (subject) => {
      const reason = new Error('left');
      const controller = new AbortController();
      subject.upstream.script(upstreamReplies.hangMidStream());
      const reading = async () => {
        const pieces = piecesOf(await forward(subject, request({ stream: true }), controller.signal));
        for await (const _ of pieces) controller.abort(reason);
      };
      await assertEndsWith(reason, reading());
      await subject.upstream.whenSocketsClosed();
    });

    it('closes the socket when the iteration ends', async (subject) => {
      subject.upstream.script(upstreamReplies.hangMidStream());
      for await (const _ of piecesOf(await forward(subject, request({ stream: true })))) break;
      await subject.upstream.whenSocketsClosed();
      assert.equal(subject.upstream.requests.length, 1);
    });
  });
}

const codes = ['provider_error', 'provider_auth_failed', 'provider_rate_limited', 'context_length_exceeded'] as const;

const refusalOf = (call: Promise<unknown>) => failure(call, ...codes);

function bodyOf(dialect: Dialect, model: string, stream: boolean): string {
  const question = '[{"role":"user", "content":"Good morning?" , "unknown":null}]';
  const limit = dialect === 'anthropic-messages' ? '"max_tokens":100,' : '';
  const content = dialect === 'openai-responses' ? 'input' : 'messages';
  return `{ "model":${JSON.stringify(model)},${limit}"${content}":${question},\n"stream":${stream}, "new_member":{"a":[1.50]}}`;
}

function textOf({ body }: ForwardedResponse): string {
  assert.ok(body instanceof Uint8Array, 'the body of a response that is no stream is its bytes');
  return Buffer.from(body).toString();
}

function piecesOf({ body }: ForwardedResponse): AsyncIterable<Uint8Array> {
  assert.ok(!(body instanceof Uint8Array), 'the body of a stream is iterable, piece by piece');
  return body;
}
