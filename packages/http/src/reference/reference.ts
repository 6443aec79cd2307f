import type { Route } from '../routing/route.ts';
import { createDocsPage, type DocsPage } from './docs-page.ts';
import { createOpenApiDocument } from './openapi.ts';

/** What describes the API to machines and to people: made when first asked for, then kept. */
export interface Reference {
  readonly openApi: () => string;
  readonly docs: () => DocsPage;
}

export function createReference(routes: readonly Route[]): Reference {
  let document: string | undefined;
  let page: DocsPage | undefined;
  const build = () => createOpenApiDocument(routes);
  return {
    openApi: () => (document ??= JSON.stringify(build())),
    docs: () => (page ??= createDocsPage(build())),
  };
}
