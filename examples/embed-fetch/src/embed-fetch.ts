// Patchbay under /patchbay of a fetch handler: `deno serve` and Bun take the default export as it is.
import { type App, createApp, tenantId } from '@patchbay/core';
import { createFetchHandler } from '@patchbay/http';
import demo from '@patchbay/provider-demo';

/** The second argument of a handler of `Deno.serve`. */
interface Information {
  readonly remoteAddr?: { readonly hostname?: string };
}

export function embed(app: App): (request: Request, information?: Information) => Promise<Response> {
  const patchbay = createFetchHandler(app, {
    basePath: '/patchbay',
    // The caller, as your host knows it. Here: the cookie of user 42. Undefined: the token of the request is used.
    caller: ({ headers }) =>
      headers.get('cookie') === 'session=42'
        ? { id: 'user|42', kind: 'user', tenant: tenantId('acme'), scopes: ['models:read', 'gateway:invoke'] }
        : undefined,
    remoteAddress: (_request, information: Information) => information.remoteAddr?.hostname,
  });
  return async (request, information = {}) => {
    if (new URL(request.url).pathname.startsWith('/patchbay/')) return await patchbay(request, information);
    return new Response('Hello from the host.');
  };
}

let serving: Promise<ReturnType<typeof embed>> | undefined;

/** The app starts with the first request. */
export default {
  async fetch(request: Request, information?: Information): Promise<Response> {
    serving ??= createApp({ patchbay: 1, providers: { demo: { use: demo } } }).then(embed);
    return await (await serving)(request, information);
  },
};
