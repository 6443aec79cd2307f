import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';

/** One import from a file of one folder to a file of another, both below the same `src`. */
export interface FolderImport {
  readonly from: string;
  readonly to: string;
  /** `gateway/plan.ts imports schema/compile-schema.ts`. */
  readonly text: string;
}

const imported = /(?:\bfrom|\bimport\()\s*'(\.[^']+)'/g;

/**
 * Imports between the folders directly below a `src`: of values and of types, without tests and fixtures.
 *
 * @param ground The folder name for files directly in `src`; without it, they are left out.
 */
export function folderImports(src: string, ground?: string): readonly FolderImport[] {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.split(sep).includes('fixtures'))
    .filter((file) => ground !== undefined || file.includes(sep));
  return files.flatMap((file) => {
    const text = readFileSync(join(src, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '');
    return [...text.matchAll(imported)]
      .map(([, specifier = '']) => relative(src, normalize(join(src, dirname(file), specifier))))
      .filter((target) => (ground !== undefined || target.includes(sep)) && !target.startsWith('..'))
      .map((target) => ({ from: topOf(file, ground), to: topOf(target, ground), text: `${file} imports ${target}` }))
      .filter(({ from, to }) => from !== to);
  });
}

/** A folder that is reachable from itself, with the path; undefined if there is none. */
export function findCycle(imports: readonly FolderImport[]): readonly string[] | undefined {
  const next = Map.groupBy(imports, ({ from }) => from);
  const done = new Set<string>();
  const visit = (folder: string, way: readonly string[]): readonly string[] | undefined => {
    if (way.includes(folder)) return [...way.slice(way.indexOf(folder)), folder];
    if (done.has(folder)) return undefined;
    for (const { to } of next.get(folder) ?? []) {
      const cycle = visit(to, [...way, folder]);
      if (cycle) return cycle;
    }
    done.add(folder);
    return undefined;
  };
  for (const folder of next.keys()) {
    const cycle = visit(folder, []);
    if (cycle) return cycle;
  }
  return undefined;
}

function topOf(file: string, ground = file): string {
  return file.includes(sep) ? (file.split(sep)[0] ?? file) : ground;
}
