import { parentPort } from 'node:worker_threads';
import { doSchemaWork, SchemaCache, type SchemaResult, type SchemaWork } from './schema-service.ts';

// A thread that checks, compiles and validates what would hold up the event loop of the server.

/** The thread's response to a piece of work. */
export type ThreadAnswer = { readonly result: SchemaResult } | { readonly error: string };

const compiled = new SchemaCache();

parentPort?.on('message', (work: SchemaWork) => {
  let answer: ThreadAnswer;
  try {
    answer = { result: doSchemaWork(work, compiled) };
  } catch (error) {
    answer = { error: String(error) };
  }
  parentPort?.postMessage(answer);
});
