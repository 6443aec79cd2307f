import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isUpstream } from '@patchbay/canaries';
import puppeteer, { type Browser } from 'puppeteer-core';

const caches = fileURLToPath(new URL('../../../../node_modules/.cache/', import.meta.url));

interface Executable {
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Start Chromium: the one of `CHROMIUM_PATH`, else the one that a package brings, with the libraries that it needs.
 *
 * @throws Error where neither runs.
 */
export async function openBrowser(): Promise<Browser> {
  const { path, env } = executable();
  const browser = await puppeteer.launch({
    executablePath: path,
    headless: 'shell',
    env: { ...process.env, ...env },
    // Pages come from servers of this repository only, and in containers there is no user to change to.
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--disable-gpu',
      '--font-render-hinting=none',
      '--lang=en',
      // A tab of its own process takes half as much CPU again to open.
      '--renderer-process-limit=1',
    ],
  });
  // It tells what it sends, keys among it.
  isUpstream(browser.wsEndpoint());
  return browser;
}

/** Why no browser starts on this machine; undefined if one does. */
export function browserFault(): string | undefined {
  try {
    const { path, env } = executable();
    const { status, stderr, error } = spawnSync(path, ['--version'], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    });
    return status === 0 ? undefined : (error?.message ?? stderr);
  } catch (error) {
    return String(error);
  }
}

function executable(): Executable {
  const given = process.env['CHROMIUM_PATH'];
  if (given) return { path: given, env: {} };
  const folder = unpacked();
  const libraries = [join(folder, 'al2023/lib'), process.env['LD_LIBRARY_PATH']].filter(Boolean).join(':');
  return {
    path: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: libraries, FONTCONFIG_PATH: join(folder, 'fonts') },
  };
}

/** Unpacks once, aside, so that tests that begin together see all of it or nothing. */
function unpacked(): string {
  const require = createRequire(import.meta.url);
  const packed = fileURLToPath(new URL('..', `file://${require.resolve('@sparticuz/chromium')}`));
  const { version } = require(join(packed, 'package.json')) as { readonly version: string };
  const folder = join(caches, `chromium-${version}-fonts`);
  if (existsSync(folder)) return folder;
  mkdirSync(caches, { recursive: true });
  const aside = mkdtempSync(join(caches, 'chromium-'));
  const script = `import chromium from ${JSON.stringify(require.resolve('@sparticuz/chromium'))}; await chromium.executablePath();`;
  // Under this name of an environment, the package unpacks the libraries as well.
  const env = { ...process.env, TMPDIR: aside, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' };
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the browser could not be unpacked: ${stderr}`);
  // The one that comes along names folders of another system. It has no font for code: that of this machine, if there is one.
  const fonts = [join(folder, 'fonts'), '/usr/share/fonts'].map((path) => `<dir>${path}</dir>`).join('');
  const families = { 'sans-serif': 'Open Sans', 'system-ui': 'Open Sans', monospace: 'DejaVu Sans Mono' };
  const aliases = Object.entries(families).map(
    ([name, family]) => `<alias><family>${name}</family><prefer><family>${family}</family></prefer></alias>`,
  );
  writeFileSync(join(aside, 'fonts/fonts.conf'), `<fontconfig>${fonts}${aliases.join('')}</fontconfig>\n`);
  try {
    renameSync(aside, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(aside, { recursive: true });
  }
  return folder;
}
