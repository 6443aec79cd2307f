import assert from 'node:assert/strict';
import type { StorageSignals } from '@patchbay/core/storage';
import type { StorageSuite } from './storage-under-test.ts';

/** A signal can be lost, so it is sent again and again; it must not be lost forever. */
const AGAIN_MS = 20;
const PATIENCE_MS = 10_000;

/** Signals to listeners, where the storage supports them. */
export function signalsSuite({ runner, it }: StorageSuite): void {
  runner.describe('signals', () => {
    it('reach every listener, in this process too, until it stops listening', async ({ signals }) => {
      if (signals === undefined) return;
      const [first, second] = [listen(signals), listen(signals)];
      try {
        await heardBy(signals, [first, second], 'one');
        first.close();
        // Another name: what was sent before may still be in progress.
        await heardBy(signals, [second], 'x'.repeat(200));
        assert.equal(first.heard.has('x'.repeat(200)), false, 'a stopped listener received a signal');
      } finally {
        first.close();
        second.close();
      }
    });
  });
}

interface Listener {
  readonly heard: ReadonlySet<string>;
  /** Resolves once the name was heard. */
  hears(name: string): Promise<void>;
  close(): void;
}

function listen(signals: StorageSignals): Listener {
  const heard = new Set<string>();
  const waiting = new Set<() => void>();
  const { close } = bound(
    signals.listen((name) => {
      if (name !== undefined) heard.add(name);
      for (const check of waiting) check();
    }),
  );
  return {
    heard,
    hears: (name) =>
      new Promise((resolve) => {
        waiting.add(() => {
          if (heard.has(name)) resolve();
        });
      }),
    close,
  };
}

const bound = (listening: { close(): void }) => ({ close: () => listening.close() });

async function heardBy(signals: StorageSignals, listeners: readonly Listener[], name: string): Promise<void> {
  const sending = setInterval(() => signals.send(name), AGAIN_MS);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const failure = new assert.AssertionError({ message: 'a signal reaches not all who listen' });
    timer = setTimeout(() => reject(failure), PATIENCE_MS);
  });
  try {
    await Promise.race([Promise.all(listeners.map((listener) => listener.hears(name))), late]);
  } finally {
    clearInterval(sending);
    clearTimeout(timer);
  }
}
