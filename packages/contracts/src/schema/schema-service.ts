import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { type ErrorDetail, PatchbayError } from '../errors.ts';
import type { Schema } from '../json-schema.ts';
import { resolveSchema } from './resolve-schema.ts';
import { schemaLimits } from './schema-limits.ts';
import { patternCost } from './schema-profile.ts';
import type { ThreadAnswer } from './schema-thread.ts';
import {
  doSchemaWork,
  type PlacedSchema,
  SchemaCache,
  type SchemaResult,
  type SchemaRole,
  type SchemaWork,
} from './schema-work.ts';

/**
 * Work with schemas of callers. Small tasks run immediately; those that could block the event loop run
 * in a thread. The first argument is the tenant, whose large tasks wait only for one another.
 */
export interface SchemaService {
  /** The faults of the schemas of one request, according to the schema profile. */
  check(
    tenant: string,
    schemas: readonly { readonly schema: Schema; readonly pointer: string }[],
  ): Promise<readonly ErrorDetail[]>;
  /**
   * Validate both schemas of a function, and its defaults.
   *
   * @throws PatchbayError `schema_invalid` with every fault, up to 50.
   */
  checkFunction(tenant: string, schemas: { readonly input: Schema; readonly output: Schema }): Promise<void>;
  /**
   * Validate a document that is given as JSON text.
   *
   * @param document.pointer Where it is in the body, such as `/input`.
   */
  validate(
    tenant: string,
    schema: Schema,
    document: { readonly text: string; readonly role: SchemaRole; readonly pointer: string },
  ): Promise<SchemaResult>;
  /** End the thread. */
  close(): Promise<void>;
}

/** Characters of schemas, and steps of their patterns, that are checked and compiled synchronously: about 10 ms. */
const atOnce = { schema: 4_096, patterns: 500 } as const;

/** Characters of accepted schemas, which need not be checked when they come again. */
const MOST_ACCEPTED = 4_194_304;

/** Characters of a document that is validated synchronously, and their product with the characters of its schema. */
const documentAtOnce = { text: 16_384, product: 8_388_608, patternSteps: 200_000 } as const;

export function createSchemaService(): SchemaService {
  const compiled = new SchemaCache();
  const thread = new SchemaThread();
  const weigh = createWeigh();
  /** The schemas of one request each: an agent sends the same tools with every turn. */
  const accepted = new LRUCache<string, true>({ maxSize: MOST_ACCEPTED });

  const perform = async (tenant: string, work: SchemaWork, isSmall: boolean): Promise<SchemaResult> =>
    isSmall ? doSchemaWork(work, compiled) : await thread.run(tenant, work);

  return {
    async check(tenant, schemas) {
      const placed: PlacedSchema[] = [];
      let length = 0;
      for (const { schema, pointer } of schemas) {
        const text = JSON.stringify(schema);
        length += text.length;
        if (length > schemaLimits.requestBytes) {
          const detail = `has, together with the schemas before it, more than ${schemaLimits.requestBytes} bytes`;
          return [{ pointer, code: 'too_large', detail }];
        }
        placed.push({ text, pointer });
      }
      const texts = placed.map(({ text }) => text);
      const together = texts.join('\0');
      if (accepted.get(together)) return [];
      const { faults } = await perform(tenant, { kind: 'check', schemas: placed }, isSmall(texts, weigh));
      if (faults.length === 0) accepted.set(together, true, { size: together.length + 1 });
      return faults;
    },

    async checkFunction(tenant, { input, output }) {
      const work = { kind: 'function', input: JSON.stringify(input), output: JSON.stringify(output) } as const;
      const { faults, message = '' } = await perform(tenant, work, isSmall([work.input, work.output], weigh));
      if (faults.length > 0) throw new PatchbayError('schema_invalid', message, { errors: faults });
    },

    async validate(tenant, schema, document) {
      const work = { kind: 'validate', schema: JSON.stringify(schema), ...document } as const;
      return await perform(tenant, work, isSmall([work.schema], weigh) && isQuick(weigh(work.schema), document.text));
    },

    close: () => thread.close(),
  };
}

/** Whether schemas can be checked and compiled synchronously. */
function isSmall(texts: readonly string[], weigh: Weigh): boolean {
  let [characters, steps] = [0, 0];
  for (const text of texts) {
    if (text.length > atOnce.schema) return false;
    const weight = weigh(text);
    characters += weight.characters;
    steps += weight.patternSteps;
    if (characters > atOnce.schema || steps > atOnce.patterns) return false;
  }
  return true;
}

/** Whether a document can be validated synchronously against a small schema. */
function isQuick({ characters, patternSteps }: Weight, document: string): boolean {
  const { length } = document;
  return (
    length <= documentAtOnce.text &&
    length * characters <= documentAtOnce.product &&
    length * patternSteps <= documentAtOnce.patternSteps
  );
}

/** The size of a schema once its references are resolved: a few hundred characters can refer to one part many times. */
interface Weight {
  readonly characters: number;
  readonly patternSteps: number;
}

type Weigh = (text: string) => Weight;

function createWeigh(): Weigh {
  const known = new LRUCache<string, Weight>({ max: 1_000 });
  return (text) => {
    if (!text.includes('"$ref"') && !text.includes('"patternProperties"')) {
      return { characters: text.length, patternSteps: patternSteps(text) };
    }
    const weight = known.get(text) ?? weightOf(text);
    known.set(text, weight);
    return weight;
  };
}

function weightOf(text: string): Weight {
  const schema = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const sound = soundSchema(schema);
  if (!sound) return { characters: Number.POSITIVE_INFINITY, patternSteps: 0 };
  const resolved = JSON.stringify(sound);
  return { characters: resolved.length, patternSteps: patternSteps(resolved) + nameSteps(resolved) };
}

/** The resolved schema; undefined for one that will be rejected. */
function soundSchema(schema: Readonly<Record<string, unknown>>): Schema | undefined {
  try {
    const { schema: resolved, faults } = resolveSchema(schema, '');
    return faults.length === 0 ? resolved : undefined;
  } catch {
    // Its keywords are not checked yet, and may have values of any type.
    return undefined;
  }
}

/** Steps of the patterns of names, which are among other names: every name is taken for one. */
function nameSteps(text: string): number {
  if (!text.includes('"patternProperties"')) return 0;
  let steps = 0;
  for (const [, name = '""'] of text.matchAll(names)) steps += patternCost(JSON.parse(name) as string);
  return steps;
}

const patterns = /"pattern":("(?:[^"\\]|\\.)*")/g;
const names = /("(?:[^"\\]|\\.)*"):/g;

/** At least as many steps as all patterns within the text of schemas have. */
function patternSteps(schemas: string): number {
  if (!schemas.includes('"pattern":')) return 0;
  let steps = 0;
  for (const [, pattern = '""'] of schemas.matchAll(patterns)) steps += patternCost(JSON.parse(pattern) as string);
  return steps;
}

interface Task {
  readonly work: SchemaWork;
  readonly resolve: (result: SchemaResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Pieces of work of one tenant that may wait. */
const MAX_WAITING = 100;

/** Megabytes that the compiled schemas and documents of a thread may take. */
const MAX_HEAP_MB = 512;

// The files of a package have the same extension: sources run as they are in tests.
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

/**
 * One thread for work with schemas that would block the event loop. It is started with the first task
 * and restarted after a failure. Tenants are served round-robin: a tenant with many tasks delays only itself.
 */
class SchemaThread {
  readonly #lanes = new Map<string, Task[]>();
  #worker: Worker | undefined;
  #current: Task | undefined;
  #isClosed = false;

  /** @throws PatchbayError `overloaded`, `shutting_down`. */
  run(lane: string, work: SchemaWork): Promise<SchemaResult> {
    const waiting = this.#lanes.get(lane) ?? [];
    if (this.#isClosed) throw new PatchbayError('shutting_down', 'the server is shutting down', { retryAfter: 1 });
    if (waiting.length >= MAX_WAITING) {
      throw new PatchbayError('overloaded', 'too many large documents are being validated', { retryAfter: 1 });
    }
    return new Promise((resolve, reject) => {
      waiting.push({ work, resolve, reject });
      this.#lanes.set(lane, waiting);
      this.#next();
    });
  }

  /** Stop the thread. Pending work is rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    this.#worker = undefined;
    const error = new PatchbayError('shutting_down', 'the server is shutting down', { retryAfter: 1 });
    const tasks = [...this.#lanes.values()].flat();
    this.#lanes.clear();
    for (const task of [this.#current, ...tasks]) task?.reject(error);
    await worker?.terminate();
  }

  #next(): void {
    if (this.#current !== undefined || this.#isClosed) return;
    const [lane, tasks] = this.#lanes.entries().next().value ?? [];
    const task = tasks?.shift();
    if (lane === undefined || tasks === undefined || task === undefined) {
      this.#worker?.unref();
      return;
    }
    // The lane goes to the end of the line.
    this.#lanes.delete(lane);
    if (tasks.length > 0) this.#lanes.set(lane, tasks);
    this.#current = task;
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#worker.postMessage(task.work);
  }

  #start(): Worker {
    const worker = new Worker(new URL(`./schema-thread.${extension}`, import.meta.url), {
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    const settle = (end: (task: Task | undefined) => void): void => {
      const task = this.#current;
      this.#current = undefined;
      end(task);
      this.#next();
    };
    worker.on('message', (answer: ThreadAnswer) => {
      settle((task) => {
        if ('result' in answer) task?.resolve(answer.result);
        else task?.reject(new Error(`a schema could not be processed: ${answer.error}`));
      });
    });
    const failed = (cause: unknown): void => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      const error = new PatchbayError('overloaded', 'the document could not be validated', { retryAfter: 1, cause });
      settle((task) => task?.reject(error));
    };
    worker.on('error', failed);
    worker.on('exit', (code) => failed(new Error(`the thread ended with ${code}`)));
    return worker;
  }
}
