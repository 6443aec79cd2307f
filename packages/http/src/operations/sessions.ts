import { type App, PatchbayError } from '@patchbay/core';
import { tokenOf } from '../input/caller.ts';
import { readSessionCookie, requireConsole, writeSessionCookie } from '../input/session-cookie.ts';
import { defineOperation } from '../operation.ts';

type SignedIn = Awaited<ReturnType<App['services']['sessions']['describe']>>;

const shared = { path: '/console/session', area: 'system', scope: 'authenticated' } as const;

const startSession = defineOperation({
  id: 'startSession',
  method: 'POST',
  ...shared,
  summary: 'Sign in to the console',
  description:
    'Exchanges the token of the request, an API key or that of a sign-in link, for a cookie that stands for it for 12 hours. ' +
    'The cookie counts only in requests of pages of this server that have the header `Patchbay-Console`, as this one must.',
  headers: { 'Patchbay-Console': 'Any value.' },
  success: { status: 201, description: 'Who signed in. `Set-Cookie` has the session.', schema: 'Session' },
  errors: ['cross_site_request', 'address_not_allowed'],
  async handle({ header, context }, { services: { sessions } }) {
    requireConsole(header);
    const token = tokenOf(header);
    if (token === undefined)
      throw new PatchbayError('invalid_request', 'sign in with a token: Authorization: Bearer …');
    const { secret, caller, maxAgeSeconds } = await sessions.start(token, context);
    const cookie = writeSessionCookie(header, sessions.cookieName, secret, maxAgeSeconds);
    return { json: viewSession(await sessions.describe(caller, secret)), headers: { 'Set-Cookie': cookie } };
  },
});

const getSession = defineOperation({
  id: 'getSession',
  method: 'GET',
  ...shared,
  summary: 'Tell who is signed in',
  description: 'The caller of the request, by session or by token. A request without credentials is answered as well.',
  anonymous: { json: null },
  success: { status: 200, description: 'The caller; null if there is none.', schema: 'Session' },
  errors: [],
  async handle({ header, context: { caller } }, { services: { sessions } }) {
    const secret = readSessionCookie(header, sessions.cookieName);
    return { json: viewSession(await sessions.describe(caller, secret)) };
  },
});

const endSession = defineOperation({
  id: 'endSession',
  method: 'DELETE',
  ...shared,
  summary: 'Sign out of the console',
  description:
    'Ends the session of the request on every server, or all that were started with its key, and removes its cookie. The key ' +
    'stays in force.',
  query: {
    sessions: {
      type: 'string',
      enum: ['current', 'all'],
      default: 'current',
      description: 'Which sessions to end: that of the request, or all of the caller.',
    },
  },
  success: { status: 200, description: 'The session has ended.', schema: 'Deletion' },
  errors: [],
  async handle({ header, query, context }, { services: { sessions } }) {
    const secret = readSessionCookie(header, sessions.cookieName);
    if (query.sessions === 'all') await sessions.endAll(context);
    else if (secret !== undefined) await sessions.end(secret, context);
    const cookie = writeSessionCookie(header, sessions.cookieName, '', 0);
    return { json: { success: true, message: 'signed out' }, headers: { 'Set-Cookie': cookie } };
  },
});

/** Sign-in of browsers to the console: for servers that have it. */
export const sessionOperations = [startSession, getSession, endSession];

function viewSession({ caller, name, scopes, endsAt }: SignedIn): object {
  const { id, kind, tenant, functions = null } = caller;
  return { id, kind, name, tenant, scopes, functions, endsAt };
}
