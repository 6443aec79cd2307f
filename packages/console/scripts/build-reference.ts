import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const source = fileURLToPath(new URL('../src/app/docs/', import.meta.url));

/** Where `@patchbay/http` has the style and the script of its API reference. */
export const referenceFile = fileURLToPath(
  new URL('../../http/src/reference/page/docs-files.generated.json', import.meta.url),
);

/** The style and the script of the API reference, which has the look of the console. */
export async function buildReference(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: source,
    entryPoints: { script: 'main.ts', style: 'docs.css' },
    bundle: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    outdir: source,
    write: false,
  });
  const textOf = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  return `${JSON.stringify({ style: textOf('.css'), script: textOf('.js') }, undefined, 2)}\n`;
}
