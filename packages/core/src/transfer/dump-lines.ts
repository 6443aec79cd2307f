import { PatchbayError } from '../contracts/errors.ts';
import { type Collection, collections } from '../contracts/rows.ts';
import { isTenantId } from '../contracts/tenant.ts';
import { fieldsOf } from '../provider-kit/json-fields.ts';
import type { DumpedRow } from './dump-storage.ts';

/** The first line of a dump: what it is, and in which form. */
const HEAD = { patchbay: 'dump', version: 1 } as const;

/**
 * A dump as text: a line of JSON for each row, after one that says what it is.
 *
 * @param rootSecret The mark of the root secret that rows of it depend on, where some do.
 */
export async function* writeDump(rows: AsyncIterable<DumpedRow>, rootSecret?: string): AsyncGenerator<string> {
  yield `${JSON.stringify({ ...HEAD, ...(rootSecret !== undefined && { rootSecret }) })}\n`;
  for await (const { collection, tenant, row } of rows) yield `${JSON.stringify({ collection, tenant, row })}\n`;
}

/**
 * Read a dump.
 *
 * @param wanted What it may hold: a dump of functions must not bring keys.
 * @param rootSecrets The marks of those that are known here. Without them, and for a dump without one, any will do.
 * @throws PatchbayError `invalid_request` with the number of the line that is not what it should be.
 */
export async function* readDump(
  lines: AsyncIterable<string> | Iterable<string>,
  wanted: readonly Collection[],
  rootSecrets?: readonly string[],
): AsyncGenerator<DumpedRow> {
  let number = 0;
  for await (const line of lines) {
    number += 1;
    const value = fieldsOf(parse(line));
    if (number === 1) {
      if (value?.['patchbay'] !== HEAD.patchbay) throw refusal(number, 'this is no dump of Patchbay');
      if (value['version'] !== HEAD.version) throw refusal(number, 'this dump was made by a newer version');
      const { rootSecret } = value;
      if (typeof rootSecret === 'string' && rootSecrets?.includes(rootSecret) === false) throw otherSecret(number);
    } else if (line !== '') yield checked(value, number, wanted);
  }
  if (number === 0) throw refusal(1, 'this is no dump of Patchbay');
}

function checked(
  value: Readonly<Record<string, unknown>> | undefined,
  number: number,
  wanted: readonly Collection[],
): DumpedRow {
  const { collection, tenant } = value ?? {};
  const row = fieldsOf(value?.['row']);
  if (typeof collection !== 'string' || !Object.hasOwn(collections, collection)) {
    throw refusal(number, 'names no collection that is known here');
  }
  if (!(wanted as readonly string[]).includes(collection)) throw refusal(number, `${collection} are not restored here`);
  if (typeof tenant !== 'string' || !isTenantId(tenant)) throw refusal(number, 'names no tenant');
  const { fields } = collections[collection as keyof typeof collections];
  const strange = row === undefined ? 'row' : Object.keys(row).find((name) => !Object.hasOwn(fields, name));
  if (strange !== undefined) throw refusal(number, `has no ${collection} in its row: ${strange}`);
  const missing = Object.keys(fields).find((name) => row?.[name] === undefined);
  if (missing !== undefined) throw refusal(number, `lacks ${missing} of ${collection}`);
  return { collection, tenant, row } as unknown as DumpedRow;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function otherSecret(line: number): PatchbayError {
  return refusal(
    line,
    'this backup was made under another root secret, without which its keys, its audit log and its sealed secrets cannot be ' +
      'used: put that one in place first',
  );
}

function refusal(line: number, what: string): PatchbayError {
  return new PatchbayError('invalid_request', `line ${line}: ${what}`);
}
