import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rename, rmdir } from 'node:fs/promises';
import { tenantId } from '@patchbay/core/plugin';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { betterSqlite3 } from './better-sqlite3-driver.ts';
import { SqliteStorage } from './sqlite-storage.ts';
import { functionRow } from './test-support/function-row.ts';
import { temporaryStorageOf } from './test-support/temporary-storage.ts';
import { WriterThread } from './writer-thread.ts';

const acme = tenantId('acme');
let thread: WriterThread;
let subject: Awaited<ReturnType<typeof temporaryStorageOf<SqliteStorage>>>;

beforeEach(async () => {
  thread = new WriterThread();
  subject = await temporaryStorageOf((options) => new SqliteStorage(options, betterSqlite3(thread)));
});

afterEach(async () => {
  await subject.dispose();
  await thread.end();
});

const insertOf = (id: string) => ({ insert: 'functions', row: functionRow(id, { code: 'x'.repeat(10_000) }) }) as const;

/** As of a request: written on the main thread where the other one is idle. */
const insert = (id: string) => subject.storage.commit(acme, [insertOf(id)]);

/** Enough for the thread: the row of this id, and others. */
const insertBatch = (id: string) =>
  subject.storage.commit(acme, [insertOf(id), ...Array.from({ length: 9 }, (_, index) => insertOf(`${id}-${index}`))]);

/** From now on, batches are written by the thread. */
const startThread = async () => {
  await insertBatch('first');
  // Answered after the request to open the file.
  await thread.request({ work: 'probe', file: 1 });
  await insert('second');
};

it('a thread starts with the first batch, which does not wait for it', async () => {
  await insert('one');
  expect(thread.isStarted).toBe(false);
  await insertBatch('many');
  expect(thread.isStarted).toBe(true);
  const storage = await subject.reopen();
  expect(await storage.get(acme, 'functions', 'many')).toMatchObject({ id: 'many' });
});

it('a file that the thread cannot open is written on the main thread', async () => {
  await insert('one');
  const { file } = subject;
  await rename(file, `${file}.moved`);
  await mkdir(file);
  await insertBatch('many');
  await expect(thread.request({ work: 'probe', file: 1 })).resolves.toMatchObject({ failure: {} });
  await rmdir(file);
  await rename(`${file}.moved`, file);
  expect(await insertBatch('more')).toEqual({ done: true });
  await startThread();
  expect(await insertBatch('most')).toEqual({ done: true });
  expect(await subject.storage.health()).toEqual({ status: 'pass' });
});

it('commits of one turn that are a batch together are written by the thread, in their order', async () => {
  await startThread();
  const before = thread.requests;
  const name = (index: number) => ({ update: 'functions', id: 'second', set: { name: `name ${index}` } }) as const;
  await Promise.all(Array.from({ length: 12 }, (_, index) => subject.storage.commit(acme, [name(index)])));
  expect(thread.requests).toBe(before);
  await Promise.all(Array.from({ length: 13 }, (_, index) => subject.storage.commit(acme, [name(20 + index)])));
  expect(thread.requests).toBe(before + 13);
  expect(await subject.storage.get(acme, 'functions', 'second')).toMatchObject({ name: 'name 32', revision: 26 });
});

it('a thread that ends fails what it was writing and all that follows, and loses nothing that was acknowledged', async () => {
  const lost = {
    code: 'storage_unavailable',
    message: 'the thread that writes has ended: restart the server',
  };
  await startThread();
  const acknowledged: string[] = [];
  const commits = Array.from({ length: 50 }, async (_, index) => {
    await insertBatch(`f${index}`);
    acknowledged.push(`f${index}`);
  });
  await commits[0];
  const settled = Promise.allSettled([...commits, insertBatch('late')]);
  await thread.end();
  expect((await settled).at(-1)).toMatchObject({ status: 'rejected', reason: lost });
  await expect(insert('later')).rejects.toMatchObject(lost);
  expect(await subject.storage.health()).toEqual({ status: 'fail', detail: lost.message });
  // Reads do not need it.
  for (const id of acknowledged) expect(await subject.storage.get(acme, 'functions', id)).toMatchObject({ id });
  await subject.storage.stop();
  thread = new WriterThread();
  const storage = await subject.reopen();
  for (const id of acknowledged) expect(await storage.get(acme, 'functions', id)).toMatchObject({ id });
  expect(await storage.health()).toEqual({ status: 'pass' });
});

it('a commit is written as it was when it was made', async () => {
  const row = { ...functionRow('f'), name: 'before' };
  const committed = subject.storage.commit(acme, [{ insert: 'functions', row }]);
  row.name = 'after';
  expect(await committed).toEqual({ done: true });
  expect(await subject.storage.get(acme, 'functions', 'f')).toMatchObject({ name: 'before' });
});

it.each([
  ['of one row', insert],
  ['of many rows', insertBatch],
] as const)('a read that follows a commit %s finds it, also among reads that share a snapshot', async (_, commit) => {
  await startThread();
  for (let round = 0; round < 20; round += 1) {
    const id = `f${round}`;
    const others = Array.from({ length: 5 }, () => subject.storage.get(acme, 'functions', 'none'));
    await commit(id);
    expect(await subject.storage.get(acme, 'functions', id)).toMatchObject({ id });
    await Promise.all(others);
  }
});

it('commits of one row and of many that are made together are all kept, and one that is refused changes nothing', async () => {
  await startThread();
  const commits = Array.from({ length: 200 }, (_, index) =>
    index % 3 === 0 ? insertBatch(`f${index}`) : insert(`f${index}`),
  );
  await commits[0];
  expect(await insertBatch('f1')).toEqual({ done: false, index: 0, reason: 'exists' });
  expect(await insert('f0')).toEqual({ done: false, index: 0, reason: 'exists' });
  expect(await Promise.all(commits)).toEqual(commits.map(() => ({ done: true })));
  const page = await subject.storage.list(acme, 'functions', { sort: 'name', order: 'asc', limit: 1 });
  expect(page.total).toBe(200 + 67 * 9 + 11);
});

it('a process ends by itself when its commits are on disk, without a stop', { timeout: 30_000 }, async () => {
  const script = new URL('./test-support/commit-and-end.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, ['--conditions=source', script, subject.file], { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  expect(code).toBe(0);
  expect(await subject.storage.get(acme, 'functions', 'last')).toMatchObject({ id: 'last' });
});
