import { openSocket, readAll } from '../../../packages/http/src/fixtures/raw-request.ts';
import type { Example, Examples } from '../example.ts';
import { type ExampleServer, startExampleServer } from '../example-server.ts';
import { echo } from './sample-functions.ts';

/** Requests that are invalid, whatever is stored. */
export async function requestExamples(server: ExampleServer): Promise<Examples> {
  const { refused } = server;
  const { id } = await server.done('POST', '/functions', { ...echo, name: 'Greet' });
  const current = await server.done('GET', `/functions/${String(id)}`);
  const nested = `${'['.repeat(70)}${']'.repeat(70)}`;
  return {
    invalid_json: await refused('POST', '/generate', { raw: '{"prompt": "Hello",}' }),
    invalid_request: await refused('POST', '/generate', { body: { prompt: 'Hello', max_tokens: 10 } }),
    too_deep: await refused('POST', '/generate', {
      raw: `{"prompt": ${nested}}`,
      asked: '`POST /generate` with 70 lists, each within the one before',
    }),
    unsupported_unicode: await refused('POST', '/generate', { body: { prompt: 'Hello\u0000' } }),
    route_not_found: await refused('GET', '/functions/'),
    method_not_allowed: await refused('PATCH', `/functions/${String(id)}`, { body: { name: 'Hello' } }),
    precondition_failed: await refused('PUT', `/functions/${String(id)}`, {
      body: { ...echo, name: current['name'] },
      headers: { 'if-match': '"7"' },
      asked: '`PUT /functions/{id}` with `If-Match: "7"`, where the function has the ETag `"1"`',
    }),
    body_too_large: await refused('POST', '/functions', {
      body: { ...echo, description: 'x'.repeat(1_100_000) },
      asked: '`POST /functions` with 1.1 MB',
    }),
    uri_too_long: await refused('GET', `/functions?cursor=${'x'.repeat(9_000)}`, {
      asked: '`GET /functions?cursor=…` with 9,000 characters',
    }),
    unsupported_media_type: await refused('POST', '/generate', {
      body: { prompt: 'Hello' },
      headers: { 'content-type': 'text/plain' },
      asked: '`POST /generate` with `Content-Type: text/plain`',
    }),
    headers_too_large: await answered(
      server.port,
      `GET /functions HTTP/1.1\r\ncookie: ${'x'.repeat(20_000)}\r\n\r\n`,
      '`GET /functions` with a cookie of 20,000 characters',
    ),
  };
}

/** A client that does not finish its request. */
export async function slowExample(): Promise<Examples> {
  const server = await startExampleServer({}, { headersTimeoutMs: 100, requestTimeoutMs: 200 });
  try {
    const head = 'POST /generate HTTP/1.1\r\nhost: localhost\r\ncontent-type: ';
    const example = await answered(server.port, head, 'The first two lines of a request, and nothing more');
    return { request_timeout: example };
  } finally {
    await server.close();
  }
}

/** Responses to bytes that no client would send. */
async function answered(port: number, bytes: string, asked: string): Promise<Example> {
  const socket = await openSocket(port);
  socket.write(bytes);
  const text = await readAll(socket);
  return { asked, answer: JSON.parse(text.slice(text.indexOf('{'))) as object };
}
