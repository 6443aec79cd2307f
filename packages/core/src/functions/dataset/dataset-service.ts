import { setImmediate } from 'node:timers/promises';
import { timestamp } from '@patchbay/contracts/base/clock';
import { memberPointer } from '@patchbay/contracts/base/json-pointer';
import { jsonTextOf } from '@patchbay/contracts/base/json-text';
import { findRow, notFound, retryRefused } from '@patchbay/contracts/base/stored-rows';
import { idOfContent } from '@patchbay/contracts/base/type-id';
import type { Clock } from '@patchbay/contracts/clock';
import type { RequestContext } from '@patchbay/contracts/context';
import { type ErrorDetail, PatchbayError } from '@patchbay/contracts/errors';
import type { Metric } from '@patchbay/contracts/function-settings';
import type { JsonObject, JsonValue } from '@patchbay/contracts/json';
import type { Schema } from '@patchbay/contracts/json-schema';
import type { DatasetExampleRow, FunctionRow, Scores } from '@patchbay/contracts/rows';
import type { SchemaService } from '@patchbay/contracts/schema/schema-service';
import type { Storage, Write } from '@patchbay/contracts/storage';
import type { AuditLog } from '../../audit/audit-log.ts';
import { scoreFault } from '../../feedback/check-metric.ts';
import type { CursorCodec } from '../../paging/cursor.ts';
import { listPage, type PageRequest, type PageResult } from '../../paging/list-page.ts';
import { scoredExamples } from './scored-examples.ts';

/** An input of a function, and what is known about answers to it. */
export interface ExampleInput {
  /** Unique in the dataset. Default: derived from the content, so that equal examples are stored once. */
  readonly id?: string;
  readonly input: JsonObject;
  /** The right output. */
  readonly expected?: JsonObject | null;
  /** An output that was given, right or wrong. */
  readonly output?: JsonObject | null;
  /** Of that output, by metric. */
  readonly scores?: Scores;
}

/** An example as it is read. */
export interface Example {
  readonly id: string;
  readonly input: JsonObject;
  /** Null if it is not known. For feedback, it is the demonstration, which need not match the output schema. */
  readonly expected: JsonValue;
  readonly output: JsonObject | null;
  readonly scores: Scores;
  readonly source: ExampleSource;
  readonly createdAt: string;
  readonly createdBy: string;
}

/** `import`: the stored examples. `feedback`: executions that have feedback, as they are stored now. */
export type ExampleSource = 'import' | 'feedback';

interface ImportReport {
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
}

/** Examples of functions. */
export interface DatasetService {
  /**
   * Feedback yields one example for each answer; a page can have fewer examples than feedback entries.
   *
   * @throws PatchbayError `function_not_found`.
   */
  list(
    functionId: string,
    source: ExampleSource,
    page: PageRequest<'createdAt'>,
    context: RequestContext,
  ): Promise<PageResult<Example>>;
  /** All of them, the oldest first. @throws PatchbayError `function_not_found`, before it returns. */
  read(functionId: string, source: ExampleSource, context: RequestContext): Promise<AsyncIterable<Example>>;
  /**
   * Add examples, or change those with the same id: all of them or none.
   *
   * @throws PatchbayError `function_not_found`; `invalid_request` with pointers to all faults, up to 50.
   */
  add(functionId: string, examples: readonly ExampleInput[], context: RequestContext): Promise<ImportReport>;
  /** @throws PatchbayError `function_not_found`, `example_not_found`. */
  delete(functionId: string, id: string, context: RequestContext): Promise<void>;
  /** Delete all. @returns How many there were. @throws PatchbayError `function_not_found`. */
  clear(functionId: string, context: RequestContext): Promise<number>;
}

export interface DatasetDependencies {
  readonly storage: Storage;
  readonly audit: Pick<AuditLog, 'commit'>;
  readonly schemas: Pick<SchemaService, 'validate'>;
  readonly cursors: CursorCodec;
  readonly clock: Clock;
  /** The metrics that the settings of a function declare, and `score`. */
  readonly metricsOf: (row: FunctionRow, context: RequestContext) => Promise<ReadonlyMap<string, Metric>>;
}

const MAX_FAULTS = 50;

/** Rows that are read in one turn: each can have several MiB. */
const PAGE = 10;

export function createDatasetService(dependencies: DatasetDependencies): DatasetService {
  const { storage, audit, schemas, clock, metricsOf } = dependencies;

  const check = async (row: FunctionRow, examples: readonly ExampleInput[], context: RequestContext): Promise<void> => {
    const { input: inputSchema, output: outputSchema } = row;
    const { caller } = context;
    const metrics = await metricsOf(row, context);
    const errors: ErrorDetail[] = [];
    const ids = new Set<string>();
    for (const [place, { id, input, expected, output, scores }] of examples.entries()) {
      // Each can take several milliseconds, and has a turn of the event loop to itself.
      await setImmediate();
      const pointer = `/examples/${place}`;
      if (id !== undefined && ids.has(id)) {
        errors.push({ pointer: `${pointer}/id`, code: 'duplicate', detail: 'is the id of an example before it' });
      }
      if (id !== undefined) ids.add(id);
      const faultsOf = async (schema: Schema, role: 'input' | 'output', name: string, value: JsonObject) => {
        const document = { text: jsonTextOf(value), role, pointer: `${pointer}/${name}` };
        return (await schemas.validate(caller.tenant, schema, document)).faults;
      };
      errors.push(...(await faultsOf(inputSchema, 'input', 'input', input)));
      if (expected) errors.push(...(await faultsOf(outputSchema, 'output', 'expected', expected)));
      errors.push(...scoreFaults(scores, output, metrics, `${pointer}/scores`));
      if (errors.length >= MAX_FAULTS) break;
    }
    if (errors.length === 0) return;
    throw new PatchbayError('invalid_request', 'the examples do not fit the function', {
      errors: errors.slice(0, MAX_FAULTS),
    });
  };

  const list: DatasetService['list'] = async (functionId, source, page, context) => {
    await findRow(storage, 'functions', functionId, context);
    if (source === 'feedback') {
      const found = await listPage(dependencies, { collection: 'feedback', where: { functionId }, page }, context);
      return { ...found, rows: await scoredExamples(storage, context.caller.tenant, found.rows) };
    }
    const query = { collection: 'datasetExamples', where: { functionId }, page } as const;
    const { rows, ...rest } = await listPage(dependencies, query, context);
    return { ...rest, rows: rows.map(exampleOf) };
  };

  return {
    list,

    async read(functionId, source, context) {
      const first = { sort: 'createdAt', order: 'asc', limit: PAGE, offset: 0 } as const;
      let page = await list(functionId, source, first, context);
      return (async function* () {
        for (;;) {
          yield* page.rows;
          if (page.nextCursor === undefined) return;
          context.signal.throwIfAborted();
          page = await list(functionId, source, { ...first, cursor: page.nextCursor }, context);
        }
      })();
    },

    async add(functionId, examples, context) {
      const { caller } = context;
      const row = await findRow(storage, 'functions', functionId, context);
      await check(row, examples, context);
      const createdAt = timestamp(clock);
      const given = new Map(
        examples.map((example) => {
          const made = rowOf(functionId, example, { createdAt, createdBy: caller.id });
          return [made.id, made] as const;
        }),
      );
      return await retryRefused('too many concurrent changes to the dataset; try again', async () => {
        const report = { added: 0, changed: 0, unchanged: 0 };
        const writes: Write[] = [];
        for (const made of given.values()) {
          const stored = await storage.get(caller.tenant, 'datasetExamples', made.id);
          const { input, expected, output, scores } = made;
          const isSame = stored !== undefined && contentOf(stored) === contentOf(made);
          report[isSame ? 'unchanged' : stored ? 'changed' : 'added'] += 1;
          if (!stored) writes.push({ insert: 'datasetExamples', row: made });
          else if (!isSame) {
            const set = { input, expected, output, scores };
            writes.push({ update: 'datasetExamples', id: made.id, set, ifRevision: stored.revision });
          }
        }
        if (writes.length === 0) return report;
        const { added, changed } = report;
        const event = {
          action: 'dataset.imported',
          resource: resource(functionId),
          details: { added, changed },
        } as const;
        const { done } = await audit.commit(context, writes, event);
        return done ? report : undefined;
      });
    },

    async delete(functionId, id, context) {
      await findRow(storage, 'functions', functionId, context);
      const result = await audit.commit(context, [{ delete: 'datasetExamples', id: rowId(functionId, id) }], {
        action: 'dataset.deleted',
        resource: resource(functionId),
        details: { example: id },
      });
      if (!result.done) throw notFound('datasetExamples');
    },

    async clear(functionId, context) {
      await findRow(storage, 'functions', functionId, context);
      const where = { functionId };
      const query = { where, sort: 'createdAt', order: 'asc', limit: 1, select: ['id'] } as const;
      const { total } = await storage.list(context.caller.tenant, 'datasetExamples', query);
      if (total === 0) return 0;
      await audit.commit(context, [{ deleteWhere: 'datasetExamples', where }], {
        action: 'dataset.deleted',
        resource: resource(functionId),
        details: { examples: total },
      });
      return total;
    },
  };
}

/** A score is of an output, and a value that feedback about it could have. Metrics that are not declared have any. */
function scoreFaults(
  scores: Scores = {},
  output: ExampleInput['output'],
  metrics: ReadonlyMap<string, Metric>,
  pointer: string,
): readonly ErrorDetail[] {
  const entries = Object.entries(scores);
  const values = entries.flatMap(([name, value]) => {
    const metric = metrics.get(name);
    const fault = metric && scoreFault(metric, value, memberPointer(pointer, name));
    return fault ? [fault] : [];
  });
  if (output || entries.length === 0) return values;
  return [
    { pointer, code: 'without_output', detail: 'must be empty without an output that they are about' },
    ...values,
  ];
}

const resource = (id: string) => ({ type: 'function', id });

const rowId = (functionId: string, id: string): string => `${functionId}/${id}`;

function rowOf(
  functionId: string,
  { id, input, expected = null, output = null, scores = {} }: ExampleInput,
  written: Pick<DatasetExampleRow, 'createdAt' | 'createdBy'>,
): DatasetExampleRow {
  const content = { input, expected, output, scores };
  const known = id ?? idOfContent('example', contentOf(content));
  return { id: rowId(functionId, known), revision: 1, functionId, ...content, ...written };
}

/** The text by which two examples are compared. */
function contentOf({
  input,
  expected,
  output,
  scores,
}: Pick<DatasetExampleRow, 'input' | 'expected' | 'output' | 'scores'>): string {
  return jsonTextOf([input, expected, output, scores]);
}

function exampleOf(row: DatasetExampleRow): Example {
  const { id, functionId, input, expected, output, scores, createdAt, createdBy } = row;
  const source = 'import';
  return { id: id.slice(functionId.length + 1), input, expected, output, scores, source, createdAt, createdBy };
}
