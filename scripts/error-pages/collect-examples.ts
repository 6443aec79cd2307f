import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ErrorCode } from '@patchbay/core';
import deno from '@patchbay/executor-deno';
import type { Example, Examples } from './example.ts';
import { type ExampleServer, startExampleServer } from './example-server.ts';
import { codeExamples } from './examples/code-examples.ts';
import { credentialExamples } from './examples/credential-examples.ts';
import { functionExamples } from './examples/function-examples.ts';
import { limitExamples } from './examples/limit-examples.ts';
import { modelExamples } from './examples/model-examples.ts';
import { requestExamples, slowExample } from './examples/request-examples.ts';
import { serverExamples } from './examples/server-examples.ts';
import { exampleTools, toolExamples } from './examples/tool-examples.ts';
import { webhookExamples } from './examples/webhook-examples.ts';

/** An example of every error, each brought about with the reference server as it runs. */
export async function collectExamples(): Promise<ReadonlyMap<ErrorCode, Example>> {
  const outside = createServer((request, response) => {
    if (request.url === '/large') response.end('x'.repeat(2_000));
  });
  outside.listen(0, '127.0.0.1');
  await once(outside, 'listening');
  const origin = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
  const closed = 'http://127.0.0.1:9';
  const server = await startExampleServer({
    executor: { use: deno, with: { maxConcurrent: 16, spares: 2 } },
    executions: { timeoutMs: 20_000 },
    webhooks: { maxPerTenant: 1 },
    functions: {
      dynamicCalls: 'declared',
      fetch: { timeoutMs: 1_500, responseBytes: 1_000 },
      grants: [{ functions: ['granted'], hosts: [origin, closed], addresses: ['127.0.0.0/8'], tools: ['docs.*'] }],
    },
    tools: exampleTools,
  });
  try {
    // Examples of one server come one after the other.
    const [own, ...others] = await Promise.all([
      ownExamples(server, origin, closed),
      modelExamples(),
      serverExamples(),
      slowExample(),
    ]);
    const all = Object.assign({}, ...own, ...others) as Examples;
    return new Map(Object.entries(all) as [ErrorCode, Example][]);
  } finally {
    await server.close();
    outside.closeAllConnections();
    outside.close();
  }
}

async function ownExamples(server: ExampleServer, origin: string, closed: string): Promise<readonly Examples[]> {
  return [
    await functionExamples(server),
    await codeExamples(server, origin, closed),
    await toolExamples(server),
    await requestExamples(server),
    await webhookExamples(server),
    await limitExamples(server),
    await credentialExamples(server),
  ];
}
