import { createHash } from 'node:crypto';
import { APIError, type Client, type FunctionSummary, type StoredFunction } from '@patchbay/client';
import { listAll } from '../remote.ts';
import type { FunctionContent } from './local-function.ts';
import { readStoredSchedules } from './schedules-file.ts';

/** A function as stored on the server, with what a write needs. */
export interface StoredState extends FunctionContent {
  readonly id: string;
  readonly etag: string;
  /** Of the settings; absent if there are none. */
  readonly settingsEtag?: string;
  /** Of its bundle; absent if it has none. */
  readonly packages?: StoredFunction['packages'];
}

/** Every function of the caller, by name. */
export async function listStored(client: Client, signal: AbortSignal): Promise<readonly FunctionSummary[]> {
  const all: FunctionSummary[] = [];
  for await (const each of listAll<FunctionSummary>(client, '/functions?sort=name&order=asc', signal)) all.push(each);
  return all;
}

/** The parts of a function that are read in addition to its definition and its settings. */
interface WantedParts {
  /** These labels, if they exist. */
  readonly labels?: readonly string[];
  readonly schedules?: boolean;
}

/** A function with its settings. */
export async function readStored(
  client: Client,
  id: string,
  signal: AbortSignal,
  wanted: WantedParts = {},
): Promise<StoredState> {
  const path = `/functions/${encodeURIComponent(id)}`;
  const reply = await client.request({ method: 'GET', path, signal });
  const { name, description, input, output, code, packages } = reply.json as StoredFunction;
  const readSettings = (below: string) =>
    client.request({ method: 'GET', path: `${path}/settings${below}`, signal }).catch((error: unknown) => {
      if (error instanceof APIError && error.code === 'settings_not_found') return undefined;
      throw error;
    });
  const settings = await readSettings('');
  const labelled = (wanted.labels ?? []).map(async (label) => {
    const found = await readSettings(`/labels/${encodeURIComponent(label)}`);
    return found === undefined ? [] : [[label, valuesOf(found.json)] as const];
  });
  const labels = Object.fromEntries((await Promise.all(labelled)).flat());
  const etag = reply.headers.get('etag') ?? '';
  const schedules = wanted.schedules ? await readStoredSchedules(client, id, signal) : undefined;
  const body = { name, description, input, output, code };
  const stored = { id, etag, body, labels, schedules, packages };
  if (settings === undefined) return stored;
  const settingsEtag = settings.headers.get('etag') ?? '';
  return { ...stored, body: { ...body, settings: valuesOf(settings.json) }, settingsEtag };
}

function valuesOf(settings: unknown): Readonly<Record<string, unknown>> {
  const { functionId: _1, version: _2, label: _3, updatedAt: _4, updatedBy: _5, ...values } = settings as Owned;
  return values;
}

/** Members that the server adds to settings. */
type Owned = Readonly<Record<'functionId' | 'version' | 'label' | 'updatedAt' | 'updatedBy', unknown>> &
  Readonly<Record<string, unknown>>;

/**
 * Hashes of a function, by its key, of the settings of its labels, by `<key>@<label>`, and of its schedules, by
 * `schedulesKey`. They are the same for content that is the same, whatever the order of its members.
 */
export function contentHashes(key: string, { body, labels, schedules }: FunctionContent): ReadonlyMap<string, string> {
  const { name, description = '', input, output, code = '', settings } = body;
  const own = contentHash({ name, description, input, output, code, settings: settings ?? null });
  const labelled = Object.entries(labels).map(([label, values]) => [`${key}@${label}`, contentHash(values)] as const);
  const scheduled = schedules ? [[schedulesKey(key), contentHash(schedules)] as const] : [];
  return new Map([[key, own], ...labelled, ...scheduled]);
}

/** Packages as lines of text, equal for equal packages. */
export function packagesText(packages: StoredFunction['packages'] = []): string {
  const lines = packages.map(({ name, version, integrity }) => `${name} ${version} ${integrity}\n`);
  return lines.toSorted().join('');
}

export const schedulesKey = (key: string): string => `${key}#schedules`;

function contentHash(value: unknown): string {
  const canonical = JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
  return createHash('sha256').update(canonical).digest('base64url');
}

/** No function has this name, or several. Uses the server's codes, so that both end the command alike. */
export class NameError extends Error {
  override readonly name = 'NameError';
  readonly code: 'function_not_found' | 'ambiguous_function_name';

  constructor(code: NameError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** The id of a function that is named by its id or name. @throws NameError */
export async function findStored(client: Client, given: string, signal: AbortSignal): Promise<string> {
  if (/^function_[0-9a-z]{26}$/.test(given)) return given;
  return named(await listStored(client, signal), given).id;
}

/** The function with this name or key. @throws NameError for none, and for several. */
export function named(all: readonly FunctionSummary[], given: string): FunctionSummary {
  const found = withName(all, given);
  if (found) return found;
  throw new NameError('function_not_found', `there is no function with the name ${JSON.stringify(given)}`);
}

/** The only function with this name, or else with this key. @throws NameError for several. */
export function withName(all: readonly FunctionSummary[], given: string): FunctionSummary | undefined {
  const named = all.filter(({ name }) => name === given);
  const found = named.length > 0 ? named : all.filter(({ name }) => keyOf(name) === given);
  if (found.length < 2) return found[0];
  const ids = found.map(({ id }) => id).join(', ');
  throw new NameError('ambiguous_function_name', `several functions are called ${JSON.stringify(given)}: ${ids}`);
}

/** The name as an identifier, as the server derives it: `summarizeText` for `Summarize Text`. */
export function keyOf(name: string): string {
  const [first = '', ...others] = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const capitalized = others.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return first.charAt(0).toLowerCase() + first.slice(1) + capitalized.join('');
}
