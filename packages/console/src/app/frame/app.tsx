import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { ErrorView } from '../parts/error-view.tsx';
import { SignIn } from '../screens/sign-in/sign-in.tsx';
import { CommandPalette } from './command-palette.tsx';
import { type Command, useCommands } from './commands.ts';
import { useConsole } from './console-context.ts';
import { Navigation } from './navigation.tsx';
import { NoticeArea } from './notices.tsx';
import { linkTo } from './router.ts';
import type { Screen, ScreenProps } from './screen.ts';

/** The frame of the console: sign-in, or navigation and a screen. */
export function App({ screens }: { readonly screens: readonly Screen[] }) {
  const { api } = useConsole();
  const session = api.session.value;
  return (
    <>
      {api.pending.value > 0 && <div class="progress" role="progressbar" aria-label="Loading" />}
      {session === null && <SignIn />}
      {session && <Desk screens={screens.filter(({ needs }) => needs === undefined || api.may(needs))} />}
      <NoticeArea />
    </>
  );
}

function Desk({ screens }: { readonly screens: readonly Screen[] }) {
  const { router } = useConsole();
  const [first] = screens;
  const { path, query } = router.place.value;
  const screen = screens.find((each) => each.path === path[0]) ?? (path.length === 0 ? first : undefined);
  useCommands(
    screens.map((each): Command => openCommand(each, router.go)),
    [screens.length],
  );
  return (
    <div class="desk">
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to content
      </button>
      <Navigation screens={screens} current={screen} />
      <main id="main" tabIndex={-1}>
        {screen ? (
          <OpenScreen key={screen.path} screen={screen} path={path.slice(1)} query={query} />
        ) : (
          <p class="empty">There is no such screen, or the key may not see it.</p>
        )}
      </main>
      <CommandPalette />
    </div>
  );
}

function OpenScreen({ screen, ...props }: ScreenProps & { readonly screen: Screen }) {
  const component = useSignal<ComponentType<ScreenProps> | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  useEffect(() => {
    document.title = `${screen.title} · Patchbay`;
    screen.load().then(
      (module) => {
        component.value = module.default;
      },
      (error: unknown) => {
        failure.value = error;
      },
    );
  }, [screen]);
  if (failure.value !== undefined) return <ErrorView error={failure.value} />;
  const Component = component.value;
  return Component ? <Component {...props} /> : null;
}

function openCommand({ path, title, key }: Screen, go: (hash: string) => void): Command {
  return { title: `Go to ${title}`, keys: `g ${key}`, run: () => go(linkTo([path])) };
}
