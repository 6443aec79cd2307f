import { createReadStream, existsSync } from 'node:fs';
import { link, open, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Operator } from '@patchbay/core';
import type { CliContext } from './cli-context.ts';
import { exitCodes } from './cli-failure.ts';
import { commandName } from './command-name.ts';
import type { Output } from './output.ts';
import { counted } from './output.ts';

interface Printing {
  readonly json?: boolean;
}

interface DumpOptions {
  readonly everything: boolean;
  readonly context: Pick<CliContext, 'cwd' | 'write' | 'readInput'>;
}

export async function migrationStatus(operator: Operator, output: Output, { json }: Printing): Promise<number> {
  const pending = await operator.pendingMigrations();
  if (json) output.result(JSON.stringify({ pending }));
  else for (const name of pending) output.result(name);
  output.note(
    pending.length === 0 ? 'nothing is pending' : `${pending.length} pending: ${commandName(process.env)} migrate up`,
  );
  return pending.length === 0 ? exitCodes.ok : exitCodes.drift;
}

export async function migrateUp(operator: Operator, output: Output, { json }: Printing): Promise<number> {
  const migrations = await operator.migrate();
  if (json) output.result(JSON.stringify({ migrations }));
  else for (const name of migrations) output.result(name);
  output.note(migrations.length === 0 ? 'nothing was pending' : `ran ${migrations.length}`);
  return exitCodes.ok;
}

export async function writeDump(
  operator: Operator,
  output: Output,
  {
    everything,
    context,
    tenant,
    file,
    json,
  }: DumpOptions & Printing & { readonly tenant?: string; readonly file: string | undefined },
): Promise<number> {
  const lines = operator.dump({ everything, ...(tenant === undefined ? {} : { tenant }) });
  let rows = -1;
  if (file === undefined) {
    for await (const line of lines) {
      context.write(line);
      rows += 1;
    }
  } else {
    rows = await writeWhole(resolve(context.cwd, file), lines);
    if (json) output.result(JSON.stringify({ file: resolve(context.cwd, file), rows }));
  }
  output.note(`wrote ${counted(rows, 'row')}`);
  return exitCodes.ok;
}

/**
 * Never over another file, and readable by its owner only: it may hold all that is stored. It has its name only once it is
 * complete.
 */
async function writeWhole(file: string, lines: AsyncIterable<string>): Promise<number> {
  let rows = -1;
  const draft = `${file}.${process.pid}.partial`;
  // Before everything is read.
  if (existsSync(file)) throw Object.assign(new Error(`${file} exists already`), { code: 'EEXIST', path: file });
  try {
    await using target = await open(draft, 'wx', 0o600);
    for await (const line of lines) {
      await target.appendFile(line);
      rows += 1;
    }
    await target.datasync();
    // Unlike a rename, this takes no other file's place.
    await link(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
  return rows;
}

export async function readDump(
  operator: Operator,
  output: Output,
  {
    everything,
    context,
    file,
    skipPresent = false,
    anySecret = false,
    json,
  }: DumpOptions & Printing & { readonly file: string; readonly skipPresent?: boolean; readonly anySecret?: boolean },
): Promise<number> {
  const lines =
    file === '-'
      ? fromText(await context.readInput())
      : createInterface({ input: createReadStream(resolve(context.cwd, file)), crlfDelay: Number.POSITIVE_INFINITY });
  const report = await operator.restore(lines, { everything, skip: skipPresent, anySecret });
  if (json) output.result(JSON.stringify(report));
  output.note(`stored ${counted(report.restored, 'row')}; ${report.present} already present`);
  return exitCodes.ok;
}

async function* fromText(text: string): AsyncGenerator<string> {
  yield* text.split('\n');
}

/** Check the audit log: exit code 1, and the first broken entry, if it was tampered with. */
export async function verifyAudit(
  operator: Operator,
  output: Output,
  { tenant, json }: { readonly tenant: string | undefined; readonly json: boolean },
): Promise<number> {
  const reports = await operator.verifyAudit(tenant);
  for (const report of reports) {
    const { verified, broken } = report;
    if (json) output.result(JSON.stringify(report));
    else if (!broken) output.result(`${report.tenant}: ${counted(verified, 'entry', 'entries')}, all in order`);
    else {
      const entry = broken.id === undefined ? `entry ${broken.sequence}` : `entry ${broken.sequence} (${broken.id})`;
      output.result(`${report.tenant}: BROKEN at ${entry}: ${broken.reason}; ${verified} before it are in order`);
    }
  }
  const broken = reports.filter((report) => report.broken).length;
  const inOrder = counted(reports.length, 'log is in order', 'logs are in order');
  output.note(
    broken === 0 ? inOrder : `${broken} of ${counted(reports.length, 'log')} ${broken === 1 ? 'is' : 'are'} broken`,
  );
  return broken === 0 ? 0 : 1;
}

/** Seal everything under the root secret of today: exit code 1 where something cannot be opened. */
export async function rewrapSecrets(
  operator: Operator,
  output: Output,
  { json }: { readonly json: boolean },
): Promise<number> {
  const report = await operator.rewrapSecrets();
  const { rewrapped, current, unreadable } = report;
  if (json) output.result(JSON.stringify(report));
  else {
    output.result(`${rewrapped} sealed anew, ${current} were, ${unreadable.length} cannot be opened`);
    for (const place of unreadable) output.result(`cannot be opened: ${place}`);
  }
  if (unreadable.length > 0) output.note('the root secret they were sealed under is not among previousSecrets');
  return unreadable.length === 0 ? 0 : 1;
}
