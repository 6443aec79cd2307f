import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ApiClient } from '../api/api-client.ts';
import type { Commands } from './commands.ts';
import type { Notices } from './notices.tsx';
import type { Router } from './router.ts';

/** The services that every part of the console shares. */
export interface Console {
  readonly api: ApiClient;
  readonly router: Router;
  readonly commands: Commands;
  readonly notices: Notices;
  /** Unsaved work, by the id of its subject. Lost with the page, and with the session. */
  readonly drafts: Map<string, unknown>;
  /** URL of the sign-in session. */
  readonly sessionUrl: string;
}

const context = createContext<Console | undefined>(undefined);

export const ConsoleProvider = context.Provider;

export function useConsole(): Console {
  const found = useContext(context);
  if (!found) throw new Error('there is no console around this component');
  return found;
}
