import { effect } from '@preact/signals';
import { render } from 'preact';
import { ApiClient } from './api/api-client.ts';
import { openSession, signIn, takeLinkToken } from './api/session.ts';
import { App } from './frame/app.tsx';
import { createCommands, listenForKeys } from './frame/commands.ts';
import { ConsoleProvider } from './frame/console-context.ts';
import { ensureValidLanguage } from './frame/ensure-valid-language.ts';
import { createNotices } from './frame/notices.tsx';
import { keepConnected } from './frame/reconnect.ts';
import { createRouter } from './frame/router.ts';
import { screens } from './screens/screens.ts';

ensureValidLanguage();
const { functions, gateway, system = '' } = document.body.dataset;
const api = new ApiClient({ functions, gateway, system });
const commands = createCommands();
const notices = createNotices();
const drafts = new Map<string, unknown>();
effect(() => {
  if (!api.session.value) drafts.clear();
});
const sessionUrl = `${system}/console/session`;
// Before the router, to which it is not a location.
addEventListener('hashchange', followLink);
const linked = followLink();
listenForKeys(commands);
keepConnected(api, notices);
const root = document.getElementById('console');
if (root) {
  const value = { drafts, api, commands, notices, sessionUrl, router: createRouter() };
  render(
    <ConsoleProvider value={value}>
      <App screens={screens} />
    </ConsoleProvider>,
    root,
  );
}
if (!linked) openSession(api, sessionUrl).catch(() => undefined);

/** Sign in by the link of the URL, if it is one. */
function followLink(): boolean {
  const token = takeLinkToken();
  if (token === undefined) return false;
  signIn(api, sessionUrl, token).catch(async () => {
    notices.show('This sign-in link was used before or has expired: restart the server for another.', 'failed');
    await openSession(api, sessionUrl).catch(() => undefined);
  });
  return true;
}
