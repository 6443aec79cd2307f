import { parseJson, stringifyJson } from './captured.js';

/** Statuses whose answers have no body. */
const withoutBody = new Set([204, 205, 304]);

/**
 * `fetch` by way of the host, which decides where requests may go. Bodies are sent and received as a whole.
 *
 * @param {ReturnType<typeof import('./calls.js').createCalls>} callHost
 * @returns {typeof globalThis.fetch}
 */
export function createFetch(callHost) {
  return async function fetch(resource, init) {
    const request = new Request(resource, init);
    const { url, method, redirect, signal } = request;
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer()).toBase64();
    const given = stringifyJson({ url, method, redirect, headers: [...request.headers], body });
    const answer = parseJson(await callHost('fetch', given, signal));
    const { status, statusText, headers } = answer;
    const bytes = withoutBody.has(status) ? null : Uint8Array.fromBase64(answer.body);
    const response = new Response(bytes, { status, statusText, headers });
    Object.defineProperty(response, 'url', { value: answer.url });
    Object.defineProperty(response, 'redirected', { value: answer.redirected });
    return response;
  };
}
