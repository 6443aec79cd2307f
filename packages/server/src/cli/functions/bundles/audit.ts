import type { Action } from '../../cli-context.ts';
import { counted, printRows } from '../../output.ts';
import { clientOf, listAll, type RemoteOptions } from '../../remote.ts';
import { keyOf, listStored } from '../stored-functions.ts';

interface VersionSummary {
  readonly version: number;
  readonly packages?: readonly { readonly name: string; readonly version: string; readonly integrity: string }[];
}

/** A version of a package, and where it is. */
interface UsedPackage {
  readonly name: string;
  readonly version: string;
  /** More than one if archives of one version differ, or if one was pushed without a lockfile. */
  readonly integrity: string[];
  readonly functions: UsingFunction[];
}

interface UsingFunction {
  readonly id: string;
  readonly name: string;
  /** The newest first. */
  readonly versions: number[];
  /** Whether its newest version has the package. */
  isCurrent: boolean;
}

/** List the packages in the bundles of all versions of all functions. */
export const audit: Action<RemoteOptions> = async (context, options) => {
  const { output, signal } = context;
  const client = clientOf(options, context);
  const found = new Map<string, UsedPackage>();
  for (const { id, name } of await listStored(client, signal)) {
    let isCurrent = true;
    for await (const row of listAll<VersionSummary>(client, `/functions/${id}/versions`, signal)) {
      note(found, row, { id, name, isCurrent });
      isCurrent = false;
    }
  }
  const all = [...found.values()].sort((a, b) => compare(a.name, b.name) || compare(a.version, b.version));
  printRows(output, options, all, ({ name, version, functions }) => [name, version, functions.map(shown).join(' ')]);
  output.note(counted(all.length, 'package'));
};

function note(
  found: Map<string, UsedPackage>,
  { version: ofFunction, packages = [] }: VersionSummary,
  { id, name: named, isCurrent }: Pick<UsingFunction, 'id' | 'name' | 'isCurrent'>,
): void {
  for (const { name, version, integrity } of packages) {
    const key = `${name}@${version}`;
    const used: UsedPackage = found.get(key) ?? { name, version, integrity: [], functions: [] };
    found.set(key, used);
    if (!used.integrity.includes(integrity)) used.integrity.push(integrity);
    let using = used.functions.find((each) => each.id === id);
    if (using === undefined) {
      using = { id, name: named, versions: [], isCurrent };
      used.functions.push(using);
    }
    if (!using.versions.includes(ofFunction)) using.versions.push(ofFunction);
  }
}

/** A function that has it in older versions only is in brackets. */
function shown({ name, versions, isCurrent }: UsingFunction): string {
  const text = `${keyOf(name)}@${versions.join(',')}`;
  return isCurrent ? text : `(${text})`;
}

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
