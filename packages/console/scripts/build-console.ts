import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';

const app = fileURLToPath(new URL('../src/app/', import.meta.url));

/** Where the package has its built files. */
export const builtFolder = fileURLToPath(new URL('../built/', import.meta.url));

/** Most bytes, compressed, of the files that the first page waits for, and of those that an editor of code does. */
export const budgets = { first: 90_000, editor: 250_000 } as const;

type Stage = keyof typeof budgets;

/** Sources that are loaded when a function is opened. */
const editorSources = ['screens/functions/functions-screen.tsx', 'parts/code-mirror.ts'];

export interface WrittenFile {
  readonly name: string;
  readonly bytes: number;
  readonly gzip: number;
  /** Where it is waited for. */
  readonly stages: readonly Stage[];
}

/**
 * Write the files of the console: names with a hash, and each also compressed.
 *
 * @throws Error if a stage is larger than its budget.
 */
export async function buildConsole(folder = builtFolder): Promise<readonly WrittenFile[]> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: app,
    entryPoints: { main: 'main.tsx', style: 'style/main.css' },
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    outdir: folder,
    write: false,
    metafile: true,
  });
  const icon = await readFile(`${app}icon.svg`);
  const iconName = `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`;
  const files = new Map<string, Uint8Array>(outputFiles.map(({ path, contents }) => [basename(path), contents]));
  files.set(iconName, icon);
  const nameOf = (entry: RegExp) => [...files.keys()].find((name) => entry.test(name)) ?? '';
  const names: Readonly<Record<string, string>> = {
    'main.js': nameOf(/^main-.*\.js$/),
    'main.css': nameOf(/^style-.*\.css$/),
    'icon.svg': iconName,
  };
  const page = (await readFile(`${app}index.html`, 'utf8')).replaceAll(/\[([\w.]+)\]/g, (_, name) => names[name] ?? '');
  files.set('index.html', new TextEncoder().encode(page));
  const first = new Set(['index.html', ...Object.values(names), ...staticImports(metafile, names['main.js'] ?? '')]);
  const editor = new Set([...first, ...editorSources.flatMap((source) => partsOf(metafile, source))]);
  const packed = [...files].flatMap(([name, bytes]) => withCompressed(name, bytes));
  await replaceFiles(folder, new Map(packed));
  const sizes = new Map(packed.map(([name, { length }]) => [name, length]));
  const written = [...files].map(([name, bytes]): WrittenFile => {
    const gzip = sizes.get(`${name}.gz`) ?? gzipSync(bytes).length;
    const stages = Object.entries({ first, editor }).flatMap(([stage, members]) =>
      members.has(name) ? [stage as Stage] : [],
    );
    return { name, bytes: bytes.length, gzip, stages };
  });
  for (const [stage, most] of Object.entries(budgets)) {
    const size = loadedBytes(written, stage as Stage);
    if (size > most) throw new Error(`${stage}: ${size} bytes are loaded, more than ${most}`);
  }
  return written;
}

export function loadedBytes(written: readonly WrittenFile[], stage: Stage): number {
  return written.filter(({ stages }) => stages.includes(stage)).reduce((sum, { gzip }) => sum + gzip, 0);
}

/** The part of a source that is loaded by itself, with those that it imports. */
function partsOf(metafile: Metafile, source: string): readonly string[] {
  const found = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === source);
  if (!found) throw new Error(`${source} is no part of the console`);
  const name = basename(found[0]);
  return [name, ...staticImports(metafile, name)];
}

/** The parts that a file imports, and those that these import. */
function staticImports({ outputs }: Metafile, name: string): readonly string[] {
  const found = Object.entries(outputs).find(([path]) => basename(path) === name);
  const imports = found?.[1].imports.filter(({ kind }) => kind === 'import-statement') ?? [];
  return imports
    .map(({ path }) => basename(path))
    .flatMap((each) => [each, ...staticImports({ inputs: {}, outputs }, each)]);
}

function withCompressed(name: string, bytes: Uint8Array): readonly (readonly [string, Uint8Array])[] {
  // The page is filled in for each request, so it goes out as it is.
  if (name === 'index.html') return [[name, bytes]];
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return [
    [name, bytes],
    [`${name}.gz`, gzipSync(bytes, { level: 9 })],
    [`${name}.br`, brotliCompressSync(bytes, { params })],
  ];
}

/** A server, or another build, may be reading them: none is ever seen half-written, and the page leads to those that are there. */
async function replaceFiles(folder: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  await mkdir(folder, { recursive: true });
  const aside = await mkdtemp(folder.replace(/\/$/, '-'));
  const pageLast = [...files].sort(([name]) => (name === 'index.html' ? 1 : -1));
  for (const [name, bytes] of pageLast) {
    await writeFile(`${aside}/${name}`, bytes);
    await rename(`${aside}/${name}`, folder + name);
  }
  const left = (await readdir(folder)).filter((name) => !files.has(name));
  await Promise.all(
    [...left.map((name) => folder + name), aside].map((path) => rm(path, { recursive: true, force: true })),
  );
}
