import type { Notice } from '@patchbay/core/plugin';
import type { ServerConfig } from './server-config.ts';

/** What a person at the terminal sees of a notice. */
export function noticeText({ title, value, hint }: Notice): string {
  return `\n  ${title}: ${value}\n  ${hint}\n`;
}

/** What a person at the terminal sees once the server listens: where it is, and a request that works as pasted. */
export function welcomeText(options: {
  readonly url: string;
  /** Where the endpoints of an area are. */
  readonly basePath: ServerConfig['basePath'];
  /** The key that was made at this start. */
  readonly firstKey: string | undefined;
  readonly hasBootstrapKey: boolean;
  readonly config: string | undefined;
}): string {
  const { basePath, firstKey, hasBootstrapKey, config } = options;
  // Nobody can connect to an address that stands for all of them.
  const url = options.url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
  const key = firstKey ?? (hasBootstrapKey ? '$PATCHBAY_BOOTSTRAP_KEY' : undefined);
  const request =
    key === undefined
      ? `curl ${url}${basePath.system}/readyz`
      : `curl ${url}${basePath.functions}/functions -H "Authorization: Bearer ${key}"`;
  return [
    '',
    `  Patchbay listens on ${options.url}`,
    `  Config: ${config ?? 'built-in defaults'}`,
    `  Reference: ${url}${basePath.system}/docs`,
    `  Try: ${request}`,
    '',
    '',
  ].join('\n');
}
