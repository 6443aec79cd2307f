import { signal } from '@preact/signals';
import { useConsole } from './console-context.ts';

interface Notice {
  readonly text: string;
  readonly kind: 'done' | 'failed';
}

/** Short messages at the edge of the page. */
export interface Notices {
  readonly list: { readonly value: readonly Notice[] };
  readonly show: (text: string, kind?: Notice['kind']) => void;
}

const SHOWN_MS = 5_000;

export function createNotices(): Notices {
  const list = signal<readonly Notice[]>([]);
  return {
    list,
    show(text, kind = 'done') {
      const notice = { text, kind };
      list.value = [...list.value, notice];
      setTimeout(() => {
        list.value = list.value.filter((each) => each !== notice);
      }, SHOWN_MS);
    },
  };
}

/** Messages, and whether the server can be reached. */
export function NoticeArea() {
  const { api, notices } = useConsole();
  return (
    <div class="notices" role="status">
      {api.lost.value && <p class="notice failed">The server cannot be reached. Trying again …</p>}
      {notices.list.value.map(({ text, kind }) => (
        <p class={`notice ${kind}`}>{text}</p>
      ))}
    </div>
  );
}
