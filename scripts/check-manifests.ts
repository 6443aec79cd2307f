/**
 * Check the manifests for Kubernetes against the schemas and types of its API:
 *
 *     npm run check:manifests
 *
 * They come with the npm package `kubernetes-models`, which is installed into a separate folder for this. The schemas
 * know what a value may be; TypeScript reports a member that does not exist at all.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseAllDocuments } from 'yaml';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

type Model = new (manifest: Manifest) => { validate(): void };

const manifests = fileURLToPath(new URL('../deploy/kubernetes/', import.meta.url));
const compiler = fileURLToPath(new URL('../node_modules/.bin/tsc', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'patchbay-manifests-'));
try {
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const install = ['install', '--no-save', '--ignore-scripts', 'kubernetes-models@5.1.0'];
  execFileSync('npm', install, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  const lines: string[] = [];
  for (const file of readdirSync(manifests)) {
    for (const document of parseAllDocuments(readFileSync(join(manifests, file), 'utf8'), { strict: true })) {
      const manifest = document.toJS() as Manifest;
      const path = `kubernetes-models/${manifest.apiVersion}/${manifest.kind}`;
      const models = (await import(pathToFileURL(join(folder, 'node_modules', `${path}.js`)).href)) as Record<
        string,
        Model
      >;
      const ModelOfKind = models[manifest.kind];
      if (ModelOfKind === undefined) throw new Error(`${path} has no ${manifest.kind}`);
      new ModelOfKind(manifest).validate();
      const name = `manifest${lines.length}`;
      lines.push(
        `import type { I${manifest.kind} as Type${lines.length} } from '${path}';`,
        `export const ${name}: Type${lines.length} = ${JSON.stringify(manifest)};`,
      );
      console.log(`${file}: ${manifest.kind} ${manifest.metadata.name} fits its schema`);
    }
  }
  writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'));
  const options = ['--noEmit', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2022', 'manifests.ts'];
  execFileSync(compiler, options, { cwd: folder, stdio: 'inherit' });
  console.log('and no member is unknown');
} finally {
  rmSync(folder, { recursive: true });
}
