import { useEffect, useRef } from 'preact/hooks';
import { signOut } from '../api/session.ts';
import { useConsole } from './console-context.ts';
import { linkTo } from './router.ts';
import type { Screen } from './screen.ts';

const groups = ['Build', 'Observe', 'Manage'] as const;

/** The list of screens; on a small screen a menu that opens. */
export function Navigation(props: { readonly screens: readonly Screen[]; readonly current: Screen | undefined }) {
  const { screens, current } = props;
  const { api, commands } = useConsole();
  const openPalette = (): void => commands.list.value.find(({ keys }) => keys === 'k')?.run();
  // On a small screen the list is wider than the page.
  const list = useRef<HTMLElement>(null);
  useEffect(
    () => list.current?.querySelector('[aria-current]')?.scrollIntoView({ inline: 'nearest' }),
    [current?.path],
  );
  const shown = groups.map((group) => ({ group, members: screens.filter((each) => each.group === group) }));
  return (
    <header class="navigation">
      <a class="brand" href="#/">
        <span class="mark" aria-hidden="true" /> Patchbay
      </a>
      <button type="button" class="search-button" onClick={openPalette}>
        Search <kbd>Ctrl K</kbd>
      </button>
      <nav aria-label="Screens" ref={list}>
        {shown
          .filter(({ members }) => members.length > 0)
          .map(({ group, members }) => (
            <div key={group}>
              <h2>{group}</h2>
              <ul>
                {members.map(({ path, title }) => (
                  <li key={path}>
                    <a href={linkTo([path])} {...(path === current?.path && { 'aria-current': 'page' })}>
                      {title}
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          ))}
      </nav>
      <footer>
        <span class="quiet">{api.session.value?.name}</span>
        <a href={api.url('getDocs')}>API reference</a>
        <SignOut />
      </footer>
    </header>
  );
}

function SignOut() {
  const { api, notices, sessionUrl } = useConsole();
  const end = (): void => {
    signOut(api, sessionUrl).catch((error: unknown) => notices.show(String(error), 'failed'));
  };
  return (
    <button type="button" class="plain" onClick={end}>
      Sign out
    </button>
  );
}
