import { createTransport } from '@patchbay/core';
import type { JsonValue } from '@patchbay/core/plugin';
import { afterEach, describe, expect, it } from 'vitest';
import type { Reply } from './exchange.ts';
import { chatCall, dialectNames } from './fixtures/vendor-calls.ts';
import { startUpstream } from './start-upstream.ts';
import type { Upstream } from './upstream.ts';
import { upstreamReplies as replies } from './upstream-replies.ts';

describe.each(dialectNames)('replies of %s', (dialect) => {
  const started: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of started.splice(0)) await stop();
  });

  async function ask(reply: Reply, stream: boolean): Promise<string> {
    const upstream: Upstream = await startUpstream({ dialect });
    const transport = createTransport();
    started.push(
      () => transport.stop(),
      () => upstream.stop(),
    );
    upstream.script(reply);
    const send = transport.createFetch({ baseUrl: upstream.baseUrl });
    const { path, headers, body } = chatCall(dialect, stream);
    const response = await send(upstream.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return response.text();
  }

  const ending = {
    openai: 'data: [DONE]',
    'openai-responses': 'event: response.completed',
    anthropic: 'event: message_stop',
    google: '"finishReason":"STOP"',
  }[dialect];
  const tokens = {
    openai: 'total_tokens',
    'openai-responses': 'total_tokens',
    anthropic: 'output_tokens',
    google: 'totalTokenCount',
  }[dialect];

  it.each([
    ['bytewise', replies.bytewise({ text: 'Grüße aus 東京 🚀' })],
    ['otherLineEnds', replies.otherLineEnds({ text: 'Grüße aus 東京 🚀' })],
    ['comments', replies.comments({ text: 'Grüße aus 東京 🚀' })],
  ])('%s is a whole stream', async (_, reply) => {
    const text = await ask(reply, true);
    expect(eventTexts(text)).toBe('Grüße aus 東京 🚀');
    expect(text).toContain(ending);
  });

  it('otherLineEnds has those that the vendor does not use', async () => {
    const usual = await ask(replies.healthy(), true);
    const other = await ask(replies.otherLineEnds(), true);
    expect(usual.includes('\r\n')).toBe(dialect === 'google');
    expect(other.includes('\r\n')).toBe(dialect !== 'google');
  });

  it('noEnding lacks nothing but the end, duplicateEnding has two', async () => {
    const without = await ask(replies.noEnding(), true);
    expect(eventTexts(without)).toBe('Hello from the upstream.');
    expect(without).not.toContain(ending);
    expect((await ask(replies.duplicateEnding(), true)).split(ending)).toHaveLength(3);
  });

  it('malformedEvent has an event that is no JSON, errorEvent one that reports a failure', async () => {
    const malformed = await ask(replies.malformedEvent(), true);
    expect(() => eventTexts(malformed)).toThrow(SyntaxError);
    expect(malformed).toContain(ending);
    const failed = await ask(replies.errorEvent('Too busy'), true);
    expect(failed).toContain('"message":"Too busy"');
    expect(failed).not.toContain(ending);
  });

  it('stream faults leave a request alone that does not ask for a stream', async () => {
    const healthy = await ask(replies.healthy(), false);
    expect(await ask(replies.closeMidStream(), false)).toBe(healthy);
    expect(await ask(replies.longLine(1), false)).toBe(healthy);
  });

  it('bodies are wrong in the way their names say', async () => {
    const healthy = await ask(replies.healthy({ text: 'Hi.' }), false);
    expect(healthy).toContain('"Hi."');

    const truncated = await ask(replies.truncatedJson(), false);
    expect(() => JSON.parse(truncated)).toThrow(SyntaxError);
    expect(leaves(JSON.parse(await ask(replies.wrongTypes(), false)))).not.toContainEqual(expect.any(String));
    expect(await ask(replies.noChoices(), false)).toMatch(/"(choices|content|candidates|output)":\[\]/);
    expect(await ask(replies.nullContent(), false)).toMatch(/"(content|text)":null/);
    expect(await ask(replies.negativeUsage(), false)).toContain(`"${tokens}":-1`);
    expect(
      await ask(
        replies.altered(() => '<>'),
        false,
      ),
    ).toBe('<>');
  });

  it('refusals tell causes apart', async () => {
    const texts = await Promise.all(
      (['context_length', 'content_filter', 'unsupported'] as const).map((cause) => ask(replies.refusal(cause), false)),
    );
    expect(new Set(texts).size).toBe(3);
  });

  it('stop tells of a reply that threw', async () => {
    const upstream = await startUpstream({ dialect });
    upstream.script(() => {
      throw new Error('a mistake in a test');
    });
    await expect(fetch(upstream.url)).rejects.toThrow('fetch failed');
    await expect(upstream.stop()).rejects.toThrow('a reply of the script failed');
  });
});

/** The texts of the events of a stream, joined. */
function eventTexts(stream: string): string {
  const data = [...stream.matchAll(/^data: (.*?)\r?$/gm)]
    .map(([, json]) => json ?? '')
    .filter((json) => json !== '[DONE]');
  return data
    .map((json) => JSON.parse(json) as { readonly type?: string })
    .filter(({ type = '' }) => !type.startsWith('response.') || type === 'response.output_text.delta')
    .map((event) => /"(?:content|text|delta)":("(?:[^"\\]|\\.)*")/.exec(JSON.stringify(event))?.[1] ?? '""')
    .map((text) => JSON.parse(text) as string)
    .join('');
}

function leaves(value: JsonValue): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [value];
}
