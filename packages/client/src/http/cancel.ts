/** A request with a key outlives its connection, so the server is asked to cancel it. Failures are ignored. */
export function cancel(send: typeof fetch, baseUrl: string, headers: Headers): void {
  headers.delete('content-type');
  const init: RequestInit = { method: 'DELETE', headers, redirect: 'manual', signal: AbortSignal.timeout(5_000) };
  send(`${baseUrl}/requests`, init)
    .then((response) => response.body?.cancel())
    .catch(() => {});
}
