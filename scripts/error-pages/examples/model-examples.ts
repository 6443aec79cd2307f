import type { ErrorCode } from '@patchbay/core';
import openai from '@patchbay/provider-openai';
import { type Reply, startUpstream, type Upstream, upstreamReplies } from '@patchbay/testing';
import type { Example, Examples } from '../example.ts';
import { type ExampleServer, startExampleServer } from '../example-server.ts';

const { status, refusal, html, hang, healthy } = upstreamReplies;

/** Failures of the vendor. */
const replies = {
  content_filtered: refusal('content_filter'),
  context_length_exceeded: refusal('context_length'),
  provider_error: status(500),
  provider_bad_response: html(),
  provider_auth_failed: status(401),
  provider_rate_limited: status(429, { retryAfter: '20' }),
  provider_timeout: hang(),
} as const satisfies Partial<Record<ErrorCode, Reply>>;

const weather = {
  name: 'weather',
  description: 'The weather in a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

/** Requests to models that fail, with a vendor that is simulated over HTTP. */
export async function modelExamples(): Promise<Examples> {
  const upstreams: Upstream[] = [];
  const mounts: [string, object][] = [];
  // Each failure has its own vendor: the circuit of a failing one opens for a while.
  for (const [name, reply] of Object.entries({ ...replies, acme: healthy() })) {
    const upstream = await startUpstream({ dialect: 'openai' });
    upstream.script(reply);
    upstreams.push(upstream);
    const timeouts = { connectMs: 2_000, firstByteMs: 200, idleMs: 200, totalMs: 2_000 };
    const models = [
      { name: 'large', capabilities: ['chat', 'tools', 'files'], contextWindow: 8_000, unsupported: ['topP'] },
    ];
    mounts.push([
      mountOf(name),
      {
        use: openai,
        with: {
          apiKey: 'sk-example',
          baseUrl: upstream.baseUrl,
          models,
          ...(name === 'provider_timeout' && { timeouts }),
        },
      },
    ]);
  }
  const server = await startExampleServer({ providers: Object.fromEntries(mounts) as never });
  try {
    return {
      ...(await vendorFailures(server)),
      ...(await ownRefusals(server)),
      no_provider_available: await withProviders({}),
      provider_not_configured: await withProviders({ providers: { openai: { use: openai } } }, 'openai/gpt-4.1'),
    };
  } finally {
    await server.close();
    for (const upstream of upstreams) await upstream.stop();
  }
}

const mountOf = (name: string): string => (name === 'acme' ? name : `acme-${name.replaceAll('_', '-')}`);

async function vendorFailures(server: ExampleServer): Promise<Examples> {
  const examples: [string, Example][] = [];
  for (const code of Object.keys(replies)) {
    const body = { prompt: 'What is a patch bay?', model: `${mountOf(code)}/large` };
    examples.push([code, named(await server.refused('POST', '/generate', { body }), mountOf(code))]);
  }
  return Object.fromEntries(examples);
}

/** As if there were one vendor. */
function named(example: Example, mount: string): Example {
  return JSON.parse(JSON.stringify(example).replaceAll(mount, 'acme')) as Example;
}

async function ownRefusals({ refused }: ExampleServer): Promise<Examples> {
  const model = 'acme/large';
  const messages = [{ role: 'user', content: 'What is the weather in Bern?' }];
  return {
    model_not_found: await refused('POST', '/generate', { body: { prompt: 'Hello', model: 'gpt-4' } }),
    unsupported_parameter: await refused('POST', '/generate', { body: { prompt: 'Hello', model, topP: 0.5 } }),
    model_capability_mismatch: await refused('POST', '/embeddings', { body: { text: 'Hello', model } }),
    stored_object_not_found: await refused('POST', '/v1/chat/completions', {
      body: { model, messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }] },
    }),
    function_call_invalid: await refused('POST', '/function-calling', {
      body: { messages, functions: [weather], model },
    }),
  };
}

async function withProviders(config: Parameters<typeof startExampleServer>[0], model = 'auto'): Promise<Example> {
  const server = await startExampleServer(config);
  try {
    return await server.refused('POST', '/generate', { body: { prompt: 'Hello', model } });
  } finally {
    await server.close();
  }
}
