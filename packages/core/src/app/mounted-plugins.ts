import type { Authenticator } from '../contracts/authenticator.ts';
import type { Executor } from '../contracts/executor.ts';
import type { Provider } from '../contracts/provider.ts';
import type { Router } from '../contracts/router.ts';
import type { Part } from './part.ts';

/** The started plugins that a reload can replace. */
export interface MountedPlugins {
  readonly executor: Executor | undefined;
  readonly authenticators: readonly Authenticator[];
  /** By the name under which they are mounted. */
  readonly providers: ReadonlyMap<string, Provider>;
  readonly router: Router | undefined;
}

export function mountedPlugins(parts: readonly Part[]): MountedPlugins {
  const started = (kind: Part['kind']) => parts.filter((part) => part.kind === kind && part.state === 'started');
  return {
    executor: started('executor')[0]?.instance as Executor | undefined,
    authenticators: started('authenticator').map(({ instance }) => instance as Authenticator),
    providers: new Map(started('provider').map(({ name, instance }) => [nameOfMount(name), instance as Provider])),
    router: started('router')[0]?.instance as Router | undefined,
  };
}

/** `openai`, of a mount that is called `providers.openai`. */
function nameOfMount(mount: string): string {
  return mount.slice(mount.indexOf('.') + 1);
}
