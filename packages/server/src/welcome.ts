import { relative } from 'node:path';
import type { Notice } from '@patchbay/core/plugin';
import type { DevelopmentServer } from './dev/development-server.ts';
import type { ServerConfig } from './server-config.ts';

const defaultUrl = 'http://127.0.0.1:4810';

/** A notice as it is shown at the terminal. */
export function noticeText({ title, value, hint }: Notice): string {
  return `\n  ${title}: ${value}\n  ${hint}\n`;
}

/** Shown at the terminal once the server listens: its address, and commands that work as pasted. */
export function welcomeText(options: {
  readonly url: string;
  /** Where the endpoints of an area are. */
  readonly basePath: ServerConfig['basePath'];
  /** The key that was created at this start. */
  readonly firstKey: string | undefined;
  readonly hasBootstrapKey: boolean;
  readonly config: string | undefined;
  /** Whether the config has an authenticator. */
  readonly letsCallersIn: boolean;
  /** How the command line is called from the terminal that this one was called from. */
  readonly command: string;
  /** Token of a sign-in link. Undefined: none was created. */
  readonly signIn?: string | undefined;
}): string {
  const { basePath, firstKey, hasBootstrapKey, config, command, letsCallersIn, signIn } = options;
  const url = localUrl(options.url);
  const key = firstKey ?? (hasBootstrapKey && letsCallersIn ? '$PATCHBAY_BOOTSTRAP_KEY' : undefined);
  // The client and the command line look for both.
  const address = url === defaultUrl ? '' : `PATCHBAY_URL=${url} `;
  const list = `curl ${url}${basePath.functions}/functions -H "Authorization: Bearer $PATCHBAY_API_KEY"`;
  // A configured key is never shown.
  const where = firstKey === undefined ? ', where PATCHBAY_BOOTSTRAP_KEY is set as here' : '';
  const next =
    key === undefined
      ? [`  Health: curl ${url}${basePath.system}/readyz`]
      : ['', `  In another terminal${where}:`, `  export ${address}PATCHBAY_API_KEY=${key}`, `  ${list}`];
  // A config file may admit callers other than those with keys.
  const lost = key === undefined && config === undefined;
  return [
    '',
    `  Patchbay listens on ${options.url}`,
    baseUrls(url, basePath),
    `  Config: ${config ?? 'built-in defaults'}`,
    `  Reference: ${url}${basePath.system}/docs`,
    ...consoleLine(url, basePath, signIn),
    ...next,
    ...(letsCallersIn
      ? []
      : ['  All requests are rejected: no authenticator is configured; see "authenticators" in the config']),
    ...(lost ? [`  Another admin key: ${command} keys create --name admin --scope "*"`] : []),
    '',
    '',
  ].join('\n');
}

/** The base URLs that clients of other vendors are given. */
function baseUrls(url: string, { gateway }: ServerConfig['basePath']): string {
  return `  Base URL: ${url}${gateway}/v1 for clients of OpenAI, ${url}${gateway} for clients of Anthropic`;
}

/** The token is in the fragment, which browsers do not send: the page posts it. */
function consoleLine(url: string, { system }: ServerConfig['basePath'], token: string | undefined): readonly string[] {
  if (token === undefined) return [];
  return [`  Console: ${url}${system}/console#sign-in=${token} (signs in once, within a minute)`];
}

/** Where commands on this machine reach a server that listens on all addresses. */
export function localUrl(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

/** Shown at the terminal once a development server listens. */
export function developmentWelcome(options: {
  readonly server: Pick<DevelopmentServer, 'url' | 'loaded'>;
  /** The development key; undefined if the developer provides one. */
  readonly key: string | undefined;
  /** The file that contains it. */
  readonly file: string | undefined;
  readonly root: string;
  readonly cwd: string;
  /** Token of a sign-in link. Undefined: none was created. */
  readonly signIn: string | undefined;
}): string {
  const { server, key, file, root, cwd, signIn } = options;
  const { basePath } = server.loaded.server;
  const token = key ?? '$PATCHBAY_BOOTSTRAP_KEY';
  return [
    '',
    `  Patchbay listens on ${server.url}, for developing`,
    baseUrls(server.url, basePath),
    `  Config: ${server.loaded.file ?? 'built-in defaults'}`,
    `  Functions: ${relative(cwd, root) || '.'}/`,
    ...(key === undefined || file === undefined ? [] : [`  Key: ${key} (kept in ${relative(cwd, file)})`]),
    `  Reference: ${server.url}${basePath.system}/docs`,
    ...consoleLine(localUrl(server.url), basePath, signIn),
    `  Try: curl ${server.url}${basePath.functions}/functions -H "Authorization: Bearer ${token}"`,
    '  Commands in this folder find this server, and its key, by themselves. Ctrl-C ends it.',
    '',
    '',
  ].join('\n');
}
