import { rawRequest } from '@patchbay/http/fixtures/raw-request';
import type { Answer } from './server-process.ts';

/** Send bytes as they are, and read the one answer to them. */
export async function rawAnswer(port: number, ...parts: readonly (string | Uint8Array)[]): Promise<Answer> {
  return parseAnswer(await rawRequest(port, ...parts));
}

/** Read an answer as it came; a body that is not JSON becomes `{ text }`. */
export function parseAnswer(text: string, method = 'GET'): Answer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [line = '', ...lines] = head.split('\r\n');
  const headers = new Headers();
  for (const header of lines) {
    const colon = header.indexOf(':');
    headers.append(header.slice(0, colon), header.slice(colon + 1).trim());
  }
  const body = rest.join('\r\n\r\n');
  const isJson = headers.get('content-type')?.includes('json') === true && body !== '' && method !== 'HEAD';
  return { status: Number(line.split(' ')[1]), headers, body: isJson ? JSON.parse(body) : { text: body } };
}
