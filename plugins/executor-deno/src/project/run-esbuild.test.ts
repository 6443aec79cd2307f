import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runEsbuild } from './run-esbuild.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'run-esbuild-'));
});
afterAll(() => rm(folder, { recursive: true }));

it.skipIf(process.platform === 'win32')(
  'bundling that takes too long ends, and names what was read so far',
  async () => {
    const own = path.join(folder, 'node_modules', 'slow');
    const text = 'import "./endless.js";\nexport default 1;\n';
    await mkdir(own, { recursive: true });
    await writeFile(path.join(own, 'package.json'), '{"name":"slow","version":"1.0.0"}');
    await writeFile(path.join(own, 'index.js'), text);
    // Who reads a pipe waits for a writer, and a writer for who reads: the second file is being read then.
    execFileSync('mkfifo', [path.join(own, 'endless.js')]);
    // esbuild asks for each of them, and hears before the response that it is late.
    for (let file = 0; file < 20; file += 1) {
      await writeFile(path.join(own, `${file}.js`), file < 19 ? `import "./${file + 1}.js";` : '');
    }
    const late = new AbortController();
    const question = { text: "import slow from 'slow';\nexport default () => slow;", language: 'js', folder } as const;
    const running = runEsbuild({ ...question, insertedLine: undefined }, late.signal);
    const pipe = await open(path.join(own, 'endless.js'), 'w');
    late.abort();
    await pipe.write('import "./0.js";');
    await pipe.close();
    const answer = await running;
    expect(answer).toMatchObject({ isLate: true, module: '' });
    const inputs = 'inputs' in answer ? [...answer.inputs] : [];
    expect(inputs).toContainEqual([path.join(own, 'index.js'), text.length]);
  },
);
