import assert from 'node:assert/strict';
import { contentText, type Message, partsOf } from '@patchbay/core/provider';
import { testContext } from '../test-context.ts';
import { resolveDialect } from '../upstream/dialects/resolve-dialect.ts';
import { completeAnswer } from '../upstream/upstream-answer.ts';
import { upstreamReplies } from '../upstream/upstream-replies.ts';
import { failure } from './assertions.ts';
import { isCapable, type ModelCapability } from './chat-suite.ts';
import { tellsApart } from './counted-usage.ts';
import type { ProviderSuite } from './provider-under-test.ts';

export const reasoning = {
  text: 'Ten and seven make seventeen.',
  signature: 'c2lnbmF0dXJlLW9mLXRoZS1zdWl0ZQ==',
  encrypted: 'ZW5jcnlwdGVkLWZvci10aGUtdmVuZG9y',
} as const;
export const refusal = 'I cannot help with that.';

type UserPart = Exclude<Extract<Message, { readonly role: 'user' }>['content'], string>[number];

const attachments: Readonly<Record<string, { readonly capability: ModelCapability; readonly part: UserPart }>> = {
  'an image': { capability: 'vision', part: { type: 'image', data: 'aW1hZ2U=', mediaType: 'image/png' } },
  'a recording': { capability: 'audio', part: { type: 'audio', data: 'YXVkaW8=', mediaType: 'audio/wav' } },
  'a file': {
    capability: 'files',
    part: { type: 'file', data: 'ZmlsZXM=', mediaType: 'application/pdf', name: 'report.pdf' },
  },
};

/** Message parts: what a vendor has no format for is not sent, and what it wants back is sent back. */
export function partsSuite({ runner, options, it, question }: ProviderSuite): void {
  const dialect = resolveDialect(options.dialect);
  const { model } = question();

  runner.describe('parts', () => {
    for (const [name, { capability, part }] of Object.entries(attachments)) {
      it(`${name} is sent to a model with the capability ${capability}, and to no other`, async (subject) => {
        const { provider, upstream } = subject;
        const content = [{ type: 'text', text: 'Look at this.' } as const, part];
        const call = provider.chat({ model, messages: [{ role: 'user', content }] }, testContext());
        if (!(await isCapable(provider, model, capability))) {
          await failure(call, 'unsupported_parameter');
          assert.equal(upstream.connections, 0, 'assertSupported refuses it before anything is sent');
          return;
        }
        await call;
        const data = 'data' in part ? part.data : '';
        assert.ok(upstream.requests[0]?.body.includes(data), `${name} is sent`);
      });
    }

    it('several texts of one message are sent in their order', async ({ provider, upstream }) => {
      const content = ['first text', 'second text'].map((text) => ({ type: 'text' as const, text }));
      await provider.chat({ model, messages: [{ role: 'user', content }] }, testContext());
      assert.match(upstream.requests[0]?.body ?? '', /first text.*second text/su);
    });

    it('reasoning stands apart from the text, and goes back unchanged', async ({ provider, upstream }) => {
      const answer = { reasoning, text: 'Seventeen.' };
      upstream.script(upstreamReplies.healthy(answer), upstreamReplies.healthy());
      const asked = question('What is ten and seven?');
      const { content } = await provider.chat(asked, testContext());
      assert.equal(contentText(content), answer.text);
      const [request] = upstream.requests;
      assert.ok(request, 'the upstream was asked');
      const told = dialect.answer(request, completeAnswer(answer));
      const isTold = (value: string): boolean => JSON.stringify(told).includes(value);
      const thoughts = partsOf(content).flatMap((part) => (part.type === 'reasoning' ? [part] : []));
      const text = thoughts.map((part) => part.text).join('');
      assert.equal(text, isTold(reasoning.text) ? reasoning.text : '', 'reasoning is a part of its own');

      const messages = [
        ...asked.messages,
        { role: 'assistant', content } as const,
        { role: 'user', content: 'And one more?' } as const,
      ];
      await provider.chat({ ...asked, messages }, testContext());
      const next = upstream.requests[1];
      for (const proof of [reasoning.signature, reasoning.encrypted]) {
        if (isTold(proof))
          assert.ok(next?.body.includes(proof), 'signatures and encrypted reasoning go back to the vendor');
      }
      if (hasObjectWith(told, reasoning.text, reasoning.signature)) {
        const isKept = hasObjectWith(next?.json, reasoning.text, reasoning.signature);
        assert.ok(isKept, 'a text goes back with its signature: the vendor proves the one by the other');
      }
    });

    if (!tellsApart(dialect, { text: '' }, { text: '', refusal })) return;
    it('a refusal is a separate part, or the error content_filtered', async ({ provider, upstream }) => {
      upstream.script(upstreamReplies.healthy({ refusal }), upstreamReplies.healthy());
      const call = provider.chat(question(), testContext());
      const result = await call.catch(() => undefined);
      if (result === undefined) {
        await failure(call, 'content_filtered');
        return;
      }
      const { content } = result;
      assert.deepEqual(
        partsOf(content).filter(({ type }) => type !== 'reasoning'),
        [{ type: 'refusal', text: refusal }],
      );
      const messages = [
        ...question().messages,
        { role: 'assistant', content } as const,
        { role: 'user', content: 'Please.' } as const,
      ];
      await provider.chat({ ...question(), messages }, testContext());
      assert.ok(upstream.requests[1]?.body.includes(refusal), 'the vendor sees what it said');
    });
  });
}

/** Whether an object within the document has members with each of these strings. */
function hasObjectWith(document: unknown, ...texts: readonly string[]): boolean {
  if (typeof document !== 'object' || document === null) return false;
  const members: readonly unknown[] = Object.values(document);
  return texts.every((text) => members.includes(text)) || members.some((member) => hasObjectWith(member, ...texts));
}
