import { effect } from '@preact/signals';
import type { ApiClient } from '../api/api-client.ts';
import type { Notices } from './notices.tsx';

const AGAIN_MS = 1_000;

/** Poll a lost server until it is back, and show that. */
export function keepConnected(api: ApiClient, notices: Notices): void {
  let timer: ReturnType<typeof setInterval> | undefined;
  effect(() => {
    if (api.lost.value === (timer !== undefined)) return;
    if (api.lost.value) {
      timer = setInterval(() => void api.fetch(api.url('getReadiness')).catch(() => undefined), AGAIN_MS);
      return;
    }
    clearInterval(timer);
    timer = undefined;
    notices.show('The server is back.');
  });
}
