import { PatchbayError } from '@patchbay/core/plugin';
import type { ListenSettings } from './listening.ts';

/** `EX_CONFIG` of sysexits: starting again will not help. */
const CONFIG_EXIT_CODE = 78;

type ListenError = NodeJS.ErrnoException & {
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
  readonly settings?: ListenSettings;
};

/** The message for the terminal when a start fails, and the exit code. */
export function describeFailure(error: unknown): { readonly text: string; readonly exitCode: number } {
  if (PatchbayError.is(error)) {
    const isConfig = ['config_invalid', 'plugin_not_found', 'plugin_incompatible'].includes(error.code);
    return { text: error.message, exitCode: isConfig ? CONFIG_EXIT_CODE : 1 };
  }
  const { code, message, syscall, address, port, hostname, settings } = error as ListenError;
  const { host, port: portName, whenTaken } = settings ?? { host: 'HOST', port: 'PORT' };
  if (code === 'EADDRINUSE') {
    const remedy = whenTaken ?? `set ${portName} to another one`;
    return { text: `${address}:${port} is in use by another process; ${remedy}`, exitCode: 1 };
  }
  if (code === 'EACCES' && port !== undefined) {
    return { text: `this user may not listen on ${address}:${port}; set ${portName} to one above 1023`, exitCode: 1 };
  }
  if (code === 'EADDRNOTAVAIL') {
    return { text: `${address} is no address of this machine; set ${host} to one, or to 0.0.0.0 for all`, exitCode: 1 };
  }
  if (syscall === 'getaddrinfo') {
    return { text: `${hostname} cannot be resolved (${code}); set ${host} to an address of this machine`, exitCode: 1 };
  }
  return { text: message ?? String(error), exitCode: 1 };
}
