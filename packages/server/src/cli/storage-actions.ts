import { createReadStream, existsSync } from 'node:fs';
import { link, open, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Action, CliContext } from './cli-context.ts';
import { exitCodes } from './cli-failure.ts';
import { type OperatorOptions, operate } from './operate.ts';
import type { ConfigOptions } from './options.ts';
import { counted, type Printing, printResult } from './output.ts';

/** Also accepts a storage that does not exist yet. */
const anyStorage = { admit: async () => true };

export const migrationStatus: Action<ConfigOptions> = (context, options) =>
  operate(
    context,
    options,
    async (operator) => {
      const pending = await operator.pendingMigrations();
      printNames(context, options, { pending }, pending);
      const none = pending.length === 0;
      context.output.note(none ? 'nothing is pending' : `${pending.length} pending: ${context.command} migrate up`);
      return none ? exitCodes.ok : exitCodes.drift;
    },
    { ...anyStorage, migrate: false },
  );

export const migrateUp: Action<ConfigOptions> = (context, options) =>
  operate(
    context,
    options,
    async (operator) => {
      const migrations = await operator.migrate();
      printNames(context, options, { migrations }, migrations);
      context.output.note(migrations.length === 0 ? 'nothing was pending' : `ran ${migrations.length}`);
    },
    { ...anyStorage, migrate: false },
  );

function printNames({ output }: CliContext, { json }: Printing, document: object, names: readonly string[]): void {
  for (const line of json ? [JSON.stringify(document)] : names) output.result(line);
}

/** Writes to the named file, or else to standard output. @param everything Not only functions. */
const dump =
  (everything: boolean): Action<OperatorOptions, [file: string | undefined]> =>
  (context, options, file) =>
    operate(
      context,
      options,
      async (operator) => {
        const { tenant, json } = options;
        const lines = operator.dump({ everything, ...(tenant !== undefined && { tenant }) });
        let rows = -1;
        if (file === undefined) {
          for await (const line of lines) {
            context.write(line);
            rows += 1;
          }
        } else {
          const path = resolve(context.cwd, file);
          rows = await writeWhole(path, lines);
          if (json) context.output.result(JSON.stringify({ file: path, rows }));
        }
        context.output.note(`wrote ${counted(rows, 'row')}`);
      },
      anyStorage,
    );

export const exportFunctions = dump(false);
export const backup = dump(true);

/**
 * Never overwrites a file, and is readable by its owner only: it may contain all data. It gets its name only once it is
 * complete.
 */
async function writeWhole(file: string, lines: AsyncIterable<string>): Promise<number> {
  let rows = -1;
  const draft = `${file}.${process.pid}.partial`;
  // Checked before everything is read.
  if (existsSync(file)) throw Object.assign(new Error(`${file} already exists`), { code: 'EEXIST', path: file });
  try {
    await using target = await open(draft, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
      // The draft is new: the fault is in its folder.
      throw Object.assign(error, { path: dirname(file) });
    });
    for await (const line of lines) {
      await target.appendFile(line);
      rows += 1;
    }
    await target.datasync();
    // Unlike a rename, this replaces no other file.
    await link(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
  return rows;
}

interface RestoreOptions extends ConfigOptions {
  readonly skipPresent?: boolean;
  readonly anySecret?: boolean;
}

const readDump =
  (everything: boolean): Action<RestoreOptions, [file: string]> =>
  (context, options, file) =>
    operate(
      context,
      options,
      async (operator) => {
        const { skipPresent: skip = false, anySecret = false, json } = options;
        const report = await operator.restore(await linesOf(file, context), { everything, skip, anySecret });
        if (json) context.output.result(JSON.stringify(report));
        context.output.note(`stored ${counted(report.restored, 'row')}; ${report.present} already present`);
      },
      anyStorage,
    );

export const importFunctions = readDump(false);
export const restore = readDump(true);

async function linesOf(file: string, { cwd, readInput }: CliContext): Promise<AsyncIterable<string>> {
  if (file === '-') return fromText(await readInput());
  return createInterface({ input: createReadStream(resolve(cwd, file)), crlfDelay: Number.POSITIVE_INFINITY });
}

async function* fromText(text: string): AsyncGenerator<string> {
  yield* text.split('\n');
}

/** Check the audit log: exit code 1, and the first broken entry, if it was tampered with. */
export const verifyAudit: Action<OperatorOptions> = (context, options) =>
  operate(context, options, async (operator) => {
    const reports = await operator.verifyAudit(options.tenant);
    for (const report of reports) {
      const { tenant, verified, broken } = report;
      const entry = broken?.id === undefined ? `entry ${broken?.sequence}` : `entry ${broken.sequence} (${broken.id})`;
      const text = broken
        ? `${tenant}: BROKEN at ${entry}: ${broken.reason}; ${verified} before it are in order`
        : `${tenant}: ${counted(verified, 'entry', 'entries')}, all in order`;
      printResult(context.output, options, report, text);
    }
    const broken = reports.filter((report) => report.broken).length;
    const inOrder = counted(reports.length, 'log is in order', 'logs are in order');
    const some = `${broken} of ${counted(reports.length, 'log')} ${broken === 1 ? 'is' : 'are'} broken`;
    context.output.note(broken === 0 ? inOrder : some);
    return broken === 0 ? exitCodes.ok : exitCodes.failure;
  });

/** Seal everything under the current root secret: exit code 1 if something cannot be opened. */
export const rewrapSecrets: Action<ConfigOptions> = (context, options) =>
  operate(context, options, async (operator) => {
    const { output } = context;
    const report = await operator.rewrapSecrets();
    const { rewrapped, current, unreadable } = report;
    const text = `${rewrapped} sealed anew, ${current} were, ${unreadable.length} cannot be opened`;
    printResult(output, options, report, [text, ...unreadable.map((place) => `cannot be opened: ${place}`)].join('\n'));
    if (unreadable.length === 0) return exitCodes.ok;
    output.note('the root secret they were sealed under is not among previousSecrets');
    return exitCodes.failure;
  });
