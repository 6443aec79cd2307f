import assert from 'node:assert/strict';
import type { ErrorCode } from '@patchbay/core';
import { PatchbayError as Errors } from '@patchbay/core/plugin';
import type { UpstreamFaultKind } from '@patchbay/core/provider';
import { testContext } from '../test-context.ts';
import { resolveDialect } from '../upstream/dialects/resolve-dialect.ts';
import { upstreamReplies } from '../upstream/upstream-replies.ts';
import { assertNoKey, failure, rejection } from './assertions.ts';
import { tellsUsage } from './counted-usage.ts';
import { apiKey, type ProviderSuite } from './provider-under-test.ts';

const codes: Readonly<Record<number, ErrorCode>> = {
  400: 'provider_error',
  401: 'provider_auth_failed',
  402: 'provider_auth_failed',
  403: 'provider_auth_failed',
  404: 'provider_error',
  408: 'provider_error',
  409: 'provider_error',
  425: 'provider_error',
  429: 'provider_rate_limited',
  500: 'provider_error',
  502: 'provider_error',
  503: 'provider_error',
  504: 'provider_error',
  529: 'provider_error',
};

const refusals = {
  context_length: 'context_length_exceeded',
  content_filter: 'content_filtered',
  unsupported: 'unsupported_parameter',
} as const;

/** Faults of a request: none of them counts against the health of a provider, which all callers share. */
const faultsOfRequests: readonly UpstreamFaultKind[] = ['rejected', 'context_length', 'content_filter', 'unsupported'];

/** Caller content that vendors repeat in their refusals, each with words that a provider's own failures contain. */
const repeatedTexts = [
  'API key not valid. Please pass a valid API key.',
  'Your credit balance is too low. Check your plan and billing details: insufficient_quota.',
  'Unauthorized: permission denied, authentication_error, 401.',
  'The model does not exist: model_not_found, 404.',
  'Rate limit reached, overloaded, internal server error, 429, 503.',
] as const;

/** Failures of the upstream, and the errors that callers and the gateway get for them. */
export function failuresSuite({ runner, options, it, question }: ProviderSuite): void {
  runner.describe('failures', () => {
    for (const [status, code] of Object.entries(codes)) {
      it(`${status} is ${code}`, async ({ provider, upstream }) => {
        upstream.script(upstreamReplies.status(Number(status)));
        const error = await failure(provider.chat(question(), testContext()), code);
        assert.equal(error.upstream?.status, Number(status), 'the error says the status of the upstream');
        assert.equal(upstream.requests.length, 1, 'a provider does not retry');
      });
    }

    const dialect = resolveDialect(options.dialect);
    for (const [cause, code] of Object.entries(refusals)) {
      if (dialect.refusal(cause as keyof typeof refusals) === undefined) continue;
      it(`${cause} is ${code}`, async ({ provider, upstream }) => {
        upstream.script(upstreamReplies.refusal(cause as keyof typeof refusals));
        await failure(provider.chat(question(), testContext()), code);
      });
    }

    it('a 400 is a fault of the request, whatever its text says', async ({ provider, upstream }) => {
      for (const text of repeatedTexts) {
        upstream.script(upstreamReplies.status(400, { message: `Unknown tool '${text}'` }));
        const error = await rejection(provider.chat(question(), testContext()));
        const kind = Errors.is(error) ? error.upstream?.kind : undefined;
        assert.ok(
          kind && faultsOfRequests.includes(kind),
          `400 with the text "${text}" became ${kind}: decide by the status and the error codes of the vendor, not by its words`,
        );
      }
    });

    it('Retry-After is kept, within reason', async ({ provider, upstream }) => {
      const expected = { '7': 7, '3600': 60, '-5': 1, soon: 1 };
      for (const [retryAfter, seconds] of Object.entries(expected)) {
        upstream.script(upstreamReplies.status(429, { retryAfter }));
        const error = await failure(provider.chat(question(), testContext()), 'provider_rate_limited');
        assert.equal(error.retryAfter, seconds, `Retry-After: ${retryAfter}`);
      }
    });

    const noAnswers = {
      'a page': upstreamReplies.html(),
      nothing: upstreamReplies.noContent(),
      'an empty body': upstreamReplies.body(''),
      'an empty object': upstreamReplies.body('{}'),
      'a list': upstreamReplies.body('[]'),
      'half of the JSON': upstreamReplies.truncatedJson(),
      'wrong types': upstreamReplies.wrongTypes(),
      'no choices': upstreamReplies.noChoices(),
      'no content': upstreamReplies.nullContent(),
      ...(tellsUsage(dialect) ? { 'fewer tokens than none': upstreamReplies.negativeUsage() } : {}),
      'half of the body': upstreamReplies.closeMidBody(),
    };
    for (const [name, reply] of Object.entries(noAnswers)) {
      it(`${name} is no answer`, async ({ provider, upstream }) => {
        upstream.script(reply);
        await failure(provider.chat(question(), testContext()), 'provider_bad_response');
      });
    }

    it('a closed connection is an error of the provider', async ({ provider, upstream }) => {
      upstream.script(upstreamReplies.reset());
      await failure(provider.chat(question(), testContext()), 'provider_error');
    });

    it('no redirect is followed', async ({ provider, upstream }) => {
      upstream.script(upstreamReplies.redirect(`${upstream.url}/elsewhere`));
      await failure(provider.chat(question(), testContext()), 'provider_error');
      assert.equal(upstream.requests.length, 1, 'the fetch of the transport follows none: use it');
    });

    it(
      'silence is a timeout',
      async ({ provider, upstream }) => {
        upstream.script(upstreamReplies.hang());
        await failure(provider.chat(question(), testContext()), 'provider_timeout');
        await upstream.whenSocketsClosed();
      },
      { firstByteMs: 100 },
    );

    it('the key never leaks, even if the upstream repeats it', async ({ provider, upstream, log }) => {
      for (const status of [400, 401, 429, 500]) {
        upstream.script(upstreamReplies.status(status, { message: `The key ${apiKey} is not good.` }));
        const error = await failure(provider.chat(question(), testContext()), codes[status] ?? 'provider_error');
        assert.ok(!error.message.includes('is not good'), 'the words of an upstream are for the log alone');
      }
      assert.ok(JSON.stringify(upstream.requests[0]?.headers).includes(apiKey), 'the key was used');
      assertNoKey(log);
      assertNoKey(await provider.health?.());
      assertNoKey(await provider.models());
    });

    it('works again when the upstream does', async ({ provider, upstream }) => {
      for (const fault of [upstreamReplies.status(500), upstreamReplies.reset()]) {
        upstream.script(fault);
        await failure(provider.chat(question(), testContext()), 'provider_error');
      }
      upstream.script(upstreamReplies.healthy());
      assert.equal((await provider.chat(question(), testContext())).finishReason, 'stop');
    });
  });
}
