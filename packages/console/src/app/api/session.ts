import type { ApiClient } from './api-client.ts';
import { errorOf } from './api-error.ts';
import type { Session } from './operations.generated.ts';

/** Find out who is signed in, from the cookie of the browser. */
export async function openSession(api: ApiClient, url: string): Promise<void> {
  const response = await api.fetch(url);
  api.session.value = response.ok ? ((await response.json()) as Session) : null;
}

/**
 * Exchange an API key, or the token of a sign-in link, for a session.
 *
 * @throws ApiError `unauthorized` if the server does not know it, or no longer does.
 */
export async function signIn(api: ApiClient, url: string, token: string): Promise<void> {
  const response = await api.fetch(url, { method: 'POST', headers: { Authorization: `Bearer ${token}` } });
  if (!response.ok) throw await errorOf(response);
  api.ended.value = false;
  api.session.value = (await response.json()) as Session;
}

/** Sign out: this browser, or all that are signed in with the same key. */
export async function signOut(api: ApiClient, url: string, sessions: 'current' | 'all' = 'current'): Promise<void> {
  const response = await api.fetch(`${url}?sessions=${sessions}`, { method: 'DELETE' });
  if (!response.ok && response.status !== 401) throw await errorOf(response);
  api.session.value = null;
}

/** Take the token of a sign-in link out of the URL, where the history of the browser would keep it. */
export function takeLinkToken(): string | undefined {
  const [, token] = /^#sign-in=(.+)$/.exec(location.hash) ?? [];
  if (token !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return token;
}
