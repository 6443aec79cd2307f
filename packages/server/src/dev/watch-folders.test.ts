import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSettler, watchFolders } from './watch-folders.ts';

let root: string;
let watch: ReturnType<typeof watchFolders>;
let told: string[];
let onTold: (() => void) | undefined;
/** Resolves to the change of this name once it was reported. */
const until = async (name: string) => {
  while (!told.includes(name)) {
    await new Promise<void>((resolve) => {
      onTold = resolve;
    });
  }
  told = [];
  return name;
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'patchbay-'));
  told = [];
  watch = watchFolders((folder, name) => {
    told.push(`${folder.slice(root.length)}/${name ?? '*'}`);
    onTold?.();
  });
});
afterEach(() => {
  watch.close();
  rmSync(root, { recursive: true, force: true });
});

it('written, replaced and removed files are reported', async () => {
  watch.set([root]);
  writeFileSync(join(root, 'a'), '1');
  await until('/a');
  writeFileSync(join(root, 'b'), '2');
  renameSync(join(root, 'b'), join(root, 'a'));
  await until('/a');
  rmSync(join(root, 'a'));
  expect(await until('/a')).toBe('/a');
});

it('a watch waits for a folder, and notices that another one has replaced it', async () => {
  const folder = join(root, 'x/y');
  watch.set([folder]);
  mkdirSync(join(root, 'x'));
  await until('/x');
  watch.set([root, folder]);
  mkdirSync(folder);
  await until('/x/y');
  watch.set([root, join(root, 'x'), folder]);
  for (let round = 0; round < 3; round += 1) {
    writeFileSync(join(folder, 'file'), String(round));
    expect(await until('/x/y/file')).toBe('/x/y/file');
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    await until('/x/y');
    watch.set([root, join(root, 'x'), folder]);
  }
});

it('folders outside the list are not watched', async () => {
  mkdirSync(join(root, 'a'));
  mkdirSync(join(root, 'b'));
  watch.set([join(root, 'a'), join(root, 'b')]);
  watch.set([join(root, 'b')]);
  writeFileSync(join(root, 'a/file'), '');
  writeFileSync(join(root, 'b/file'), '');
  await new Promise<void>((resolve) => {
    onTold = resolve;
  });
  expect(told.filter((each) => each.startsWith('/a'))).toEqual([]);
});

const unexpected = (error: unknown) => {
  throw error;
};

/** Work that waits until it is released, and reports that it began. */
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

it('a settler works once after several wakes', async () => {
  const slow = slowWork();
  const settler = createSettler(slow.work, unexpected);
  const began = slow.began();
  for (let times = 0; times < 5; times += 1) settler.wake();
  await began;
  slow.letGo();
  await settler.close();
  expect(slow.runs).toBe(1);
});

it('a settler works again after a wake in the meantime, and never twice at the same time', async () => {
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

it('a settler works again after a failure, and not once it is closed', async () => {
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
