import { signOut } from '../../api/session.ts';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';

/** Who is signed in, until when, and what it may do. */
export default function SessionScreen() {
  const { api, sessionUrl } = useConsole();
  const session = api.session.value;
  if (!session) return null;
  const isKey = session.kind === 'api-key';
  return (
    <Page
      title="Your session"
      actions={
        <>
          <ActionButton title="Sign out" done="You are signed out." run={() => signOut(api, sessionUrl)} />
          <ActionButton
            title="Sign out everywhere"
            done="Every browser is signed out."
            danger
            run={() => signOut(api, sessionUrl, 'all')}
          >
            <p>Every browser that is signed in with this key is signed out. Programs with the key go on.</p>
          </ActionButton>
        </>
      }
    >
      <Facts
        facts={[
          ['Signed in as', isKey ? session.name : `${session.kind} ${session.id}`],
          ['Tenant', session.tenant],
          ['Session ends', session.endsAt && <Time key="end" at={session.endsAt} />],
          ['Functions', session.functions?.join(', ') ?? 'all'],
          ['Scopes', session.scopes.join(', '), 'wide'],
        ]}
      />
      {isKey && session.id !== 'key_bootstrap' && api.may('getKey') && (
        <p>
          <a href={linkTo(['keys', session.id])}>The key that you are signed in with</a>
        </p>
      )}
    </Page>
  );
}
