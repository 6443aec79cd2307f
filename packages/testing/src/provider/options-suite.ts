import assert from 'node:assert/strict';
import type { ChatRequest } from '@patchbay/core/provider';
import { testContext } from '../test-context.ts';
import { unlessRefused } from './assertions.ts';
import { takesTools, weather } from './chat-suite.ts';
import type { ProviderSuite } from './provider-under-test.ts';

interface OptionCase {
  readonly option: Partial<ChatRequest>;
  /** The option is for requests with tools. */
  readonly withTools?: boolean;
  /** A string that the request to the upstream must contain. */
  readonly sent?: string;
  /** A preference, which the vendor may not support: then a warning is enough. */
  readonly isWish?: boolean;
}

const cases: Readonly<Record<string, OptionCase>> = {
  stop: { option: { stop: ['end-of-the-suite'] }, sent: 'end-of-the-suite' },
  seed: { option: { seed: 487_213 }, sent: '487213', isWish: true },
  responseJson: { option: { responseJson: true }, isWish: true },
  'extra of another format': { option: { extra: { 'format-of-the-suite': { member: 1 } } }, isWish: true },
  reasoningEffort: { option: { reasoningEffort: 'low' }, isWish: true },
  'toolChoice none': { option: { toolChoice: 'none' }, withTools: true },
  parallelToolCalls: { option: { parallelToolCalls: false }, withTools: true, isWish: true },
};

/** Options of a chat: none of them is dropped silently. */
export function optionsSuite({ runner, it, question }: ProviderSuite): void {
  runner.describe('options', () => {
    for (const [name, { option, withTools, sent = '', isWish }] of Object.entries(cases)) {
      it(`${name} reaches the upstream, or is refused before anything is sent`, async ({ provider, upstream }) => {
        if (withTools && !(await takesTools(provider, question().model))) return;
        const plain = { ...question(), ...(withTools && { tools: [weather] }) };
        const { warnings: usual = [] } = await provider.chat(plain, testContext());
        const result = await unlessRefused(provider.chat({ ...plain, ...option }, testContext()));
        const [without, request] = upstream.requests;
        if (result === undefined) {
          assert.equal(request, undefined, 'what cannot be done is not sent');
          return;
        }
        const { warnings = [] } = result;
        if (isWish && warnings.some((warning) => !usual.includes(warning))) return;
        assert.notEqual(request?.body, without?.body, `${name} was dropped: send it, or refuse it as 'unsupported'`);
        assert.ok(request?.body.includes(sent), `${name} reaches the upstream as it is: ${request?.body}`);
      });
    }
  });
}
