import { isRejectedByStorage } from '@patchbay/contracts/base/storage-arguments';
import type { ContentLevel } from '@patchbay/contracts/content';
import type { Logger } from '@patchbay/contracts/context';
import type { CallContentRow } from '@patchbay/contracts/rows';
import type { Storage } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import type { SecretBox } from '../secrets/secret-box.ts';
import { prepareContent } from './prepare-content.ts';
import { compileRules, type RuleNode } from './redaction-rules.ts';
import { contentPlace, type GivenContent } from './stored-content.ts';

/** The options of the config. */
export interface ContentOptions {
  readonly content: ContentLevel;
  readonly contentBytes: number;
  readonly redact?: readonly string[] | undefined;
}

/** Creates the content of a call, once it is known that it will be stored. */
export type ContentSource = () => GivenContent | Promise<GivenContent>;

/** A call whose content is stored. */
interface KeptCall extends Pick<CallContentRow, 'id' | 'createdAt'> {
  readonly level: Exclude<ContentLevel, 'off'>;
}

/** Stores the content of calls in the background. */
export interface ContentRecorder {
  /**
   * Never fails and never waits. Content that cannot be written soon enough is dropped: no call fails or waits for it.
   *
   * @param call The id of its record, when it ended, and how much is stored of it.
   */
  keep(tenant: TenantId, call: KeptCall, source: ContentSource): void;
  /** Resolves when everything kept before is on disk, or could not be written. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

interface ContentRecorderDependencies {
  readonly storage: Pick<Storage, 'commit'>;
  readonly box: Pick<SecretBox, 'seal'>;
  readonly logger: Logger;
  /** Those in force. */
  readonly options: () => ContentOptions;
  /** Removes secrets of the server from a text. */
  readonly hide: (text: string) => string;
  /** Called for each content that is dropped. */
  readonly onDropped: () => void;
}

/** Contents that have not been prepared yet, which hold the requests and responses of their calls. */
const MOST_WAITING = 1_000;
/** Of contents that are not on disk yet. */
const MOST_BYTES = 33_554_432;
const COMMIT_BYTES = 1_048_576;
const COMMIT_ROWS = 100;
const RETRY_MS = 1_000;

interface Waiting extends KeptCall {
  readonly tenant: TenantId;
  readonly source: ContentSource;
}

interface Prepared {
  readonly tenant: TenantId;
  readonly row: CallContentRow;
}

export function createContentRecorder(dependencies: ContentRecorderDependencies): ContentRecorder {
  const { storage, box, logger, options, hide, onDropped } = dependencies;
  let waiting: Waiting[] = [];
  let prepared: Prepared[] = [];
  let bytes = 0;
  let dropped = 0;
  let isFailing = false;
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<void> = Promise.resolve();
  let compiled: { readonly redact: ContentOptions['redact']; readonly rules: RuleNode } | undefined;

  const rulesOf = ({ redact }: ContentOptions): RuleNode => {
    if (compiled?.redact !== redact || compiled === undefined) compiled = { redact, rules: compileRules(redact ?? []) };
    return compiled.rules;
  };

  const drop = (): void => {
    dropped += 1;
    onDropped();
  };

  const prepare = async ({ tenant, id, createdAt, level, source }: Waiting): Promise<void> => {
    if (bytes > MOST_BYTES) return drop();
    const inForce = options();
    const bounds = { level, maxBytes: inForce.contentBytes, rules: rulesOf(inForce), hide };
    const sealed = box.seal(JSON.stringify(prepareContent(await source(), bounds)), contentPlace(tenant, id));
    bytes += sealed.length;
    prepared.push({ tenant, row: { id, revision: 1, bytes: sealed.length, createdAt, content: sealed } });
  };

  const prepareAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const all = waiting;
      waiting = [];
      for (const each of all) {
        await prepare(each).catch((error: unknown) => {
          logger.warn('the content of a call could not be prepared', { call: each.id, error });
          drop();
        });
      }
    }
  };

  const writeAll = async (): Promise<void> => {
    await prepareAll();
    let size = COMMIT_ROWS;
    while (prepared.length > 0) {
      const batch = nextBatch(prepared, size);
      try {
        await write(storage, batch);
      } catch (error) {
        if (!isRejectedByStorage(error)) throw error;
        if (batch.length > 1) {
          size = Math.ceil(batch.length / 2);
          continue;
        }
        drop();
      }
      prepared = prepared.slice(batch.length);
      bytes -= batch.reduce((sum, { row }) => sum + row.bytes, 0);
      size = COMMIT_ROWS;
    }
  };

  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    last = last.then(writeAll).then(
      () => {
        isFailing = false;
      },
      (error: unknown) => {
        if (!isFailing) logger.warn('the content of calls cannot be written; it is buffered in memory', { error });
        isFailing = true;
      },
    );
    await last;
    if (dropped > 0) logger.error('the content of calls was dropped', { count: dropped });
    dropped = 0;
    if (waiting.length + prepared.length > 0) schedule(isFailing ? RETRY_MS : 0);
  };

  const schedule = (ms: number): void => {
    // Not unref'd: a process that exits normally writes what it keeps.
    timer ??= setTimeout(() => void flush(), ms);
  };

  return {
    flush,

    keep(tenant, call, source) {
      if (waiting.length >= MOST_WAITING) {
        drop();
        return;
      }
      waiting.push({ ...call, tenant, source });
      schedule(0);
    },

    async stop() {
      await flush();
      clearTimeout(timer);
      const count = waiting.length + prepared.length;
      if (count > 0) logger.error('the content of calls was lost: it could not be written', { count });
    },
  };
}

/** The first contents of one tenant, as many as fit into one commit. */
function nextBatch(prepared: readonly Prepared[], most: number): readonly Prepared[] {
  const batch: Prepared[] = [];
  let bytes = 0;
  for (const each of prepared) {
    const isOther = each.tenant !== prepared[0]?.tenant || batch.some(({ row }) => row.id === each.row.id);
    if (isOther || batch.length >= most || (bytes > 0 && bytes + each.row.bytes > COMMIT_BYTES)) break;
    batch.push(each);
    bytes += each.row.bytes;
  }
  return batch;
}

/** Rows that already exist are from a commit whose outcome was unknown, or from an execution that ran again. */
async function write(storage: Pick<Storage, 'commit'>, batch: readonly Prepared[]): Promise<void> {
  const [first] = batch;
  if (!first) return;
  const replaced = new Set<number>();
  for (let tries = 0; tries <= 2 * batch.length; tries += 1) {
    const writes = batch.map(({ row }, index) => {
      const { id, revision: _, ...set } = row;
      if (replaced.has(index)) return { update: 'callContents', id, set } as const;
      return { insert: 'callContents', row } as const;
    });
    const result = await storage.commit(first.tenant, writes);
    if (result.done) return;
    // A row that was to be replaced was swept meanwhile.
    if (!replaced.delete(result.index)) replaced.add(result.index);
  }
  throw new Error('the content of calls can neither be inserted nor replaced');
}
