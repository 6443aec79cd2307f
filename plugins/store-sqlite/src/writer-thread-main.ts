import { parentPort } from 'node:worker_threads';
import type { CommitResult } from '@patchbay/core/storage';
import { connect, immediateWrites, type SqliteDatabase } from './better-sqlite3.ts';
import type { ConnectionOptions } from './driver.ts';
import { sqliteCode } from './failures.ts';
import { GroupWriter } from './group-writer.ts';
import type { WriterAnswer, WriterFailure, WriterRequest } from './writer-thread.ts';

// Runs in the thread, which has the connections for writing: statements, indexes and flushes may take their time.

interface OpenFile {
  readonly connection: SqliteDatabase;
  readonly writer: GroupWriter;
}

const files = new Map<number, OpenFile>();
let answers: WriterAnswer[] = [];

parentPort?.on('message', (requests: readonly WriterRequest[]) => {
  for (const request of requests) void serve(request);
});

async function serve(request: WriterRequest): Promise<void> {
  const { number, file } = request;
  let answer: WriterAnswer;
  try {
    const result = await resultOf(request);
    answer = { number, isFailing: files.get(file)?.writer.isFailing ?? false, result };
  } catch (error) {
    answer = { number, isFailing: files.get(file)?.writer.isFailing ?? false, failure: failureOf(error) };
  }
  // Answers of one group are sent together.
  if (answers.length === 0) queueMicrotask(send);
  answers.push(answer);
}

function send(): void {
  parentPort?.postMessage(answers);
  answers = [];
}

async function resultOf(request: WriterRequest): Promise<CommitResult | undefined> {
  if (request.work === 'open') {
    files.set(request.file, open(request.options));
    return undefined;
  }
  const file = files.get(request.file);
  if (file === undefined) throw new Error('the file is not open');
  if (request.work === 'commit') return await file.writer.commit(request.tenant, request.writes, request.options);
  if (request.work === 'probe') await file.writer.probe();
  else {
    await file.writer.drain();
    file.connection.close();
    files.delete(request.file);
  }
  return undefined;
}

function open(options: ConnectionOptions): OpenFile {
  const connection = connect(options, 'write');
  // Waiting for other processes is up to the writer of groups.
  connection.pragma('busy_timeout = 0');
  return { connection, writer: new GroupWriter(immediateWrites(connection), options.busyTimeoutMs) };
}

function failureOf(error: unknown): WriterFailure {
  const code = sqliteCode(error);
  if (code !== undefined) return { code, message: (error as Error).message };
  const { cause } = error as { readonly cause?: unknown };
  if (sqliteCode(cause) !== undefined) return failureOf(cause);
  return { code, message: String(error) };
}
