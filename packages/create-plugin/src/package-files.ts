import { createHash } from 'node:crypto';

/** Kinds that have a template: its folder in `templates`. */
export const templates = ['provider', 'storage', 'executor', 'router', 'authenticator'] as const;
export type TemplateKind = (typeof templates)[number];

export function isTemplateKind(kind: string): kind is TemplateKind {
  return (templates as readonly string[]).includes(kind);
}

/** npm's rules for the name of a package. */
const NAME = /^(@[a-z\d~-][a-z\d._~-]*\/)?[a-z\d~-][a-z\d._~-]*$/;

/**
 * The name of the package: what is neither scoped nor begins with `patchbay-` gets the prefix by which people find
 * plugins of its kind.
 *
 * @throws Error where npm would not take the name.
 */
export function pluginName(kind: string, name: string): string {
  const full = name.startsWith('@') || name.startsWith('patchbay-') ? name : `patchbay-${kind}-${name}`;
  if (full.length > 214 || !NAME.test(full)) throw new Error(`"${name}" is no name for a package`);
  return full;
}

/** A name for a config: `acme` of `patchbay-provider-acme`. */
export function mountName(kind: string, name: string): string {
  return name
    .slice(name.indexOf('/') + 1)
    .replace(new RegExp(`^patchbay-(${kind}-)?`), '')
    .replaceAll(/[^a-z\d-]+/g, '-');
}

/** The files of a package beside its source, by path. */
export function packageFiles(kind: TemplateKind, name: string, version: string): ReadonlyMap<string, string> {
  const manifest = {
    name,
    version: '0.1.0',
    description: `${article(kind)} ${kind} for Patchbay.`,
    license: 'MIT',
    type: 'module',
    engines: { node: '>=22.18' },
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' }, './package.json': './package.json' },
    files: ['dist', '!**/*.test.*'],
    keywords: ['patchbay-plugin'],
    patchbay: { kind, version: 1 },
    scripts: {
      check: 'tsc --noEmit',
      test: 'node --test "src/**/*.test.ts"',
      build: 'tsc',
      prepublishOnly: 'npm test && npm run build',
    },
    peerDependencies: { '@patchbay/core': `^${version}` },
    devDependencies: {
      '@patchbay/core': `^${version}`,
      '@patchbay/testing': `^${version}`,
      '@types/node': '22.20.5',
      typescript: '7.0.2',
    },
  };
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2024'],
    module: 'nodenext',
    types: ['node'],
    rootDir: 'src',
    outDir: 'dist',
    declaration: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noPropertyAccessFromIndexSignature: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    rewriteRelativeImportExtensions: true,
    skipLibCheck: true,
  };
  return new Map([
    ['package.json', json(manifest)],
    ['tsconfig.json', json({ compilerOptions, include: ['src'] })],
    ['.gitignore', 'node_modules/\ndist/\n'],
    // An older Node finds no test in TypeScript, and calls that a success.
    ['.npmrc', 'engine-strict=true\n'],
    ['README.md', readme(kind, name)],
  ]);
}

function article(kind: TemplateKind): string {
  return /^[aeiou]/.test(kind) ? 'An' : 'A';
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** SHA-256 of `a random password`. */
const exampleHash = createHash('sha256').update('a random password').digest('hex');

/** How it is mounted, with what it takes: a provider without a key is off. */
const entries: Readonly<Record<TemplateKind, (name: string, mount: string) => string>> = {
  provider: (use, mount) => `providers:\n  ${mount}: { use: ${use}, with: { apiKey: "\${${keyVariable(mount)}}" } }`,
  storage: (use) => `storage: { use: ${use}, with: { file: ./patchbay.jsonl } }`,
  executor: (use) => `executor: { use: ${use}, with: { heapMegabytes: 128 } }`,
  router: (use) => `router: { use: ${use}, with: { prefer: [openai] } }`,
  authenticator: (use, mount) =>
    `authenticators:\n  ${mount}:\n    use: ${use}\n    with:\n      callers:\n        ann: { passwordHash: ${exampleHash}, tenant: acme, scopes: [models:read] }`,
};

/** An environment variable: `ACME_KEY`. */
function keyVariable(mount: string): string {
  return `${mount
    .toUpperCase()
    .replaceAll('-', '_')
    .replace(/^(?=\d)/, '_')}_KEY`;
}

function readme(kind: TemplateKind, name: string): string {
  const mount = mountName(kind, name);
  return `# ${name}

${article(kind)} ${kind} for [Patchbay](https://github.com/patchbay/patchbay).

\`\`\`yaml
# patchbay.config.yaml
patchbay: 1
${entries[kind](JSON.stringify(name), mount)}
\`\`\`

While it is written, mount its source, from a folder beside this one: \`use: ../${name.slice(name.indexOf('/') + 1)}/src/index.ts\`.

\`\`\`sh
npm install
npm test        # the suite that every ${kind} has to pass
npm run check   # types
npm run build   # what an installed plugin is run from
\`\`\`
`;
}
