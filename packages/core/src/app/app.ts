import { createServiceRef } from '../contracts/services.ts';
import type { AppHost } from './app-host.ts';
import type { AppServices } from './app-services.ts';

/**
 * A running Patchbay, without any transport: what `createApp` resolves to, and what the binders of `@patchbay/http`
 * put on a socket. Disposing of it stops it.
 */
export interface App extends AsyncDisposable {
  readonly services: AppServices;
  readonly host: AppHost;
}

/** The app itself, among the services of the container that the host brought. */
export const appRef = createServiceRef<App>('app');
