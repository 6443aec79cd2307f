/** A request with a key outlives its connection: the server must be asked to end it. Failures concern no caller. */
export function cancel(send: typeof fetch, baseUrl: string, headers: Headers): void {
  headers.delete('content-type');
  const init: RequestInit = { method: 'DELETE', headers, redirect: 'manual', signal: AbortSignal.timeout(5_000) };
  send(`${baseUrl}/requests`, init)
    .then((response) => response.body?.cancel())
    .catch(() => {});
}
