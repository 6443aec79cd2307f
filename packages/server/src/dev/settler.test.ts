import { expect, it } from 'vitest';
import { createSettler } from './settler.ts';

const unexpected = (error: unknown) => {
  throw error;
};

/** Work that waits until it is let go, and says that it began. */
function slowWork() {
  const begun: (() => void)[] = [];
  let runs = 0;
  let onBegin: (() => void) | undefined;
  return {
    work: async () => {
      runs += 1;
      const done = new Promise<void>((resolve) => begun.push(resolve));
      onBegin?.();
      await done;
    },
    /** The next time that it begins. */
    began: () =>
      new Promise<void>((resolve) => {
        onBegin = resolve;
      }),
    letGo: () => begun.shift()?.(),
    get runs() {
      return runs;
    },
  };
}

it('does once what it was woken for several times', async () => {
  const slow = slowWork();
  const settler = createSettler(slow.work, unexpected);
  const began = slow.began();
  for (let times = 0; times < 5; times += 1) settler.wake();
  await began;
  slow.letGo();
  await settler.close();
  expect(slow.runs).toBe(1);
});

it('does it again for what comes meanwhile, and never twice at the same time', async () => {
  const slow = slowWork();
  const settler = createSettler(slow.work, unexpected);
  const first = slow.began();
  settler.wake();
  await first;
  const second = slow.began();
  settler.wake();
  expect(slow.runs).toBe(1);
  slow.letGo();
  await second;
  expect(slow.runs).toBe(2);
  slow.letGo();
  await settler.close();
});

it('goes on after a failure, and begins nothing once it is closed', async () => {
  const errors: unknown[] = [];
  let fail: (() => void) | undefined;
  const failed = new Promise<void>((resolve) => {
    fail = resolve;
  });
  const settler = createSettler(
    () => Promise.reject(new Error('no')),
    (error) => {
      errors.push(error);
      fail?.();
    },
  );
  settler.wake();
  await failed;
  await settler.close();
  settler.wake();
  await settler.close();
  expect(errors).toEqual([new Error('no')]);
});
