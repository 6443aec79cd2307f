import { resolveDialect } from '../upstream/dialects/resolve-dialect.ts';
import type { UpstreamOptions } from '../upstream/start-upstream.ts';
import type { UpstreamRequest } from '../upstream/upstream-request.ts';

/**
 * The error of a failed test. If the vendor that the suite plays would reject the request, that comes first: a wrong
 * dialect fails many tests, each with a different message.
 */
export function explainRefusal(
  error: unknown,
  dialect: UpstreamOptions['dialect'],
  requests: readonly UpstreamRequest[],
): unknown {
  const played = resolveDialect(dialect);
  const [refused] = requests.flatMap((request) => {
    const refusal = played.refuse(request);
    return refusal ? [{ method: request.method, path: request.path, status: refusal.status }] : [];
  });
  if (refused === undefined) return error;
  const { method, path, status } = refused;
  const name = typeof dialect === 'string' ? `'${dialect}'` : 'the dialect of the test';
  const message = error instanceof Error ? error.message : String(error);
  return new Error(
    `the suite plays ${name}, which answers ${method} ${path} with ${status}. Does your vendor speak otherwise? ` +
      `See \`dialect\` in docs/plugins/provider.md. What failed: ${message}`,
    { cause: error },
  );
}
