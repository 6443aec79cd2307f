import type { BuildOptions } from 'esbuild';

/** The name of the author's text in esbuild. */
export const OWN = 'function';

/** How esbuild makes one module for the sandbox. None of it comes from files of the machine. */
export const moduleOptions = {
  bundle: true,
  write: false,
  outfile: 'function.js',
  format: 'esm',
  platform: 'browser',
  conditions: ['worker'],
  target: 'esnext',
  minifyWhitespace: true,
  minifySyntax: true,
  charset: 'utf8',
  legalComments: 'none',
  sourcemap: 'external',
  sourcesContent: false,
  tsconfigRaw: {},
  logLevel: 'silent',
  metafile: true,
} as const satisfies BuildOptions;
