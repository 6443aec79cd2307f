import type { ContentEncoding } from '../output/content-encoding.ts';
import type { Route } from '../routing.ts';
import { createOpenApiDocument } from './openapi.ts';
import { createCompressedPage } from './page/compressed-page.ts';
import { createDocsPage } from './page/docs-page.ts';

/** The OpenAPI document and the reference page: created when first requested, then kept. */
export interface Reference {
  readonly openApi: () => string;
  readonly docs: () => string;
  readonly compressedDocs: (encoding: ContentEncoding) => Promise<Uint8Array>;
}

/** The reference below a prefix that a host strips. Kept for the last prefix only: a pattern can match any number. */
export function createReference(routes: readonly Route[]): (mountPath: string) => Reference {
  let last: { readonly mountPath: string; readonly reference: Reference } | undefined;
  return (mountPath) => {
    if (last?.mountPath !== mountPath) last = { mountPath, reference: createReferenceAt(routes, mountPath) };
    return last.reference;
  };
}

function createReferenceAt(routes: readonly Route[], mountPath: string): Reference {
  let document: string | undefined;
  let page: string | undefined;
  const build = () => createOpenApiDocument(routes, mountPath);
  const docs = (): string => (page ??= createDocsPage(build()));
  return {
    openApi: () => (document ??= JSON.stringify(build())),
    docs,
    compressedDocs: createCompressedPage(docs),
  };
}
