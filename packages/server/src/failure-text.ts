import { PatchbayError } from '@patchbay/core';

/** `EX_CONFIG` of sysexits: starting again will not help. */
const CONFIG_EXIT_CODE = 78;

/** What a person at the terminal gets to know about a start that failed, and how the process ends. */
export function describeFailure(error: unknown): { readonly text: string; readonly exitCode: number } {
  if (PatchbayError.is(error)) {
    const isConfig = ['config_invalid', 'plugin_not_found', 'plugin_incompatible'].includes(error.code);
    return { text: error.message, exitCode: isConfig ? CONFIG_EXIT_CODE : 1 };
  }
  const { code, message, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (code === 'EADDRINUSE') {
    return { text: `${address}:${port} is in use by another process; set PORT to another one`, exitCode: 1 };
  }
  if (code === 'EACCES' && port !== undefined) {
    return { text: `this user may not listen on ${address}:${port}; set PORT to one above 1023`, exitCode: 1 };
  }
  return { text: message ?? String(error), exitCode: 1 };
}
