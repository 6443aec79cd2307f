import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runCli } from '@patchbay/server/fixtures/run-cli';
import { startUpstream, type Upstream } from '@patchbay/testing';
import { afterAll, beforeAll, expect } from 'vitest';
import { parse } from 'yaml';
import { newFolder } from '../driver/run-server.ts';
import { type Answer, ask } from '../driver/server-process.ts';
import { vendorKey } from '../gateway/vendors.ts';

/** A line of the report of an import. */
interface Finding {
  readonly outcome: string;
  readonly name: string;
  readonly place: string;
  readonly detail: string;
}

interface Imported {
  /** Folder with the files that were written. */
  readonly out: string;
  readonly config: Record<string, unknown>;
  readonly findings: readonly Finding[];
}

type Ask = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** Imports of the configurations in a folder, and servers with what comes of them. Their models are played. */
export function useMigration(cwd: string) {
  const folder = newFolder();
  const upstreams: Upstream[] = [];
  let env: Record<string, string> = {};
  beforeAll(async () => {
    const openai = await startUpstream({ dialect: 'openai' });
    const anthropic = await startUpstream({ dialect: 'anthropic' });
    upstreams.push(openai, anthropic);
    const keys = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'EUROPE_KEY', 'KEY_OF_CHAT', 'AZURE_KEY'];
    env = {
      ...Object.fromEntries(keys.map((name) => [name, vendorKey])),
      UPSTREAM: openai.baseUrl,
      UPSTREAM_ORIGIN: openai.url,
      ANTHROPIC_UPSTREAM: anthropic.baseUrl,
    };
  });
  afterAll(async () => {
    await Promise.all(upstreams.map((upstream) => upstream.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  let count = 0;
  return {
    /** The upstream that plays the vendor of a model. */
    upstreamOf(model: string): Upstream {
      const upstream = upstreams[model.startsWith('anthropic/') ? 1 : 0];
      if (upstream === undefined) throw new Error('the upstreams have not been started');
      return upstream;
    },
    /** Import a configuration into a new folder. */
    async import(command: string, source: string): Promise<Imported> {
      count += 1;
      const out = join(folder, `import-${count}`);
      const options = ['--out', out, '--write', '--json'];
      const { code, stdout, stderr } = await runCli({ cwd }, 'import', command, source, ...options);
      expect([code, stderr]).toEqual([0, expect.stringMatching(/^\d+ mapped, \d+ changed, \d+ not mapped\n/)]);
      const lines = stdout.trim().split('\n');
      const documents = lines.map((line) => JSON.parse(line) as Finding & { readonly file?: string });
      const findings = documents.filter(({ file }) => file === undefined);
      expect(findings.filter(({ place }) => !/^[\w./-]+:\d+:\d+$/.test(place))).toEqual([]);
      const config = parse(readFileSync(join(out, 'patchbay.config.yaml'), 'utf8')) as Record<string, unknown>;
      return { out, config, findings };
    },
    /** Validate the config in a folder, and ask a server that it starts. */
    async serve(out: string, use: (ask: Ask, env: Record<string, string>) => Promise<void>): Promise<void> {
      const surroundings = { cwd: out, env: { ...env, PORT: '0' } };
      const valid = await runCli(surroundings, 'config', 'validate');
      expect([valid.code, valid.stderr]).toEqual([0, expect.stringContaining('nothing is wrong')]);
      const whileServing = async (said: string) => {
        const [, url = '', key] = /PATCHBAY_URL=(\S+) PATCHBAY_API_KEY=(\S+)/.exec(said) ?? [];
        const headers = { authorization: `Bearer ${key}` };
        const own = { PATCHBAY_URL: url, PATCHBAY_API_KEY: key ?? '' };
        await use((method, path, body) => ask({ url }, method, path, body, headers), own);
      };
      const served = await runCli({ ...surroundings, whileServing }, 'serve');
      expect(served.code, served.stderr).toBe(0);
    },
  };
}
