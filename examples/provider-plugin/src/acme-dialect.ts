import type { UpstreamDialect } from '@patchbay/testing';

/** How Acme's API works over HTTP, according to its page; the suite simulates the vendor with it. */
export const acmeDialect: UpstreamDialect = {
  basePath: '/v2',
  answer: (_request, { text, usage }) => ({
    reply: { say: text },
    why: 'end',
    ...(usage && { counted: { in: usage.uncachedInputTokens, out: usage.outputTokens } }),
  }),
  error: (status, message) => ({ fault: { code: `http-${status}`, message } }),
  refusal(cause) {
    if (cause === 'unsupported') return undefined;
    const code = cause === 'context_length' ? 'too-long' : 'not-nice';
    return { status: 400, body: { fault: { code, message: 'No.' } } };
  },
};
