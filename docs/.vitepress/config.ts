import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { anchorOf } from './anchor-of.ts';
import { sidebar } from './sidebar.ts';

const repository = 'https://github.com/patchbay/patchbay';

interface MarkdownToken {
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

/** The part of markdown-it that is used here. */
interface Markdown {
  readonly utils: { escapeHtml(text: string): string };
  readonly renderer: {
    readonly rules: Record<string, (tokens: readonly { readonly content: string }[], index: number) => string>;
  };
  readonly core: { readonly ruler: { push(name: string, rule: (state: State) => void): void } };
}

interface State {
  readonly tokens: readonly { readonly children: readonly (MarkdownToken & { readonly type: string })[] | null }[];
  readonly env: { readonly relativePath?: string };
}

/** Links to files outside `docs`, which are not on the site, lead to the repository. */
function prepare(markdown: Markdown): void {
  // Templates of prompts are written with the braces that Vue takes for its own.
  markdown.renderer.rules['code_inline'] = (tokens, index) =>
    `<code v-pre>${markdown.utils.escapeHtml(tokens[index]?.content ?? '')}</code>`;
  markdown.core.ruler.push('link-sources', ({ tokens, env }) => {
    const folder = posix.join('docs', posix.dirname(env.relativePath ?? ''));
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const link = token.type === 'link_open' ? token.attrGet('href') : null;
      if (link === null || /^([a-z]+:|#|\/)/.test(link)) continue;
      const path = posix.join(folder, link);
      if (!path.startsWith('docs/') || path === 'docs/decisions')
        token.attrSet('href', `${repository}/tree/main/${path}`);
    }
  });
}

/** A folder whose pages are too many to be listed one by one. */
function pagesIn(folder: string) {
  const path = fileURLToPath(new URL(`../${folder}/`, import.meta.url));
  const files = readdirSync(path).filter((file) => file.endsWith('.md'));
  return files.sort().map((file) => ({
    text: (readFileSync(path + file, 'utf8').split('\n', 1)[0] ?? file).replace(/^#\s*/, ''),
    link: `/${folder}/${file.replace(/\.md$/, '')}`,
  }));
}

export default {
  title: 'Patchbay',
  description: 'Typed functions and every language model behind one API, on your own server, every part a plugin.',
  lastUpdated: true,
  // Links to headings work on the site and on GitHub.
  markdown: { config: prepare, anchor: { slugify: anchorOf } },
  // The index of the search is one file, and loaded only by who searches.
  vite: { build: { chunkSizeWarningLimit: 3_000 } },
  themeConfig: {
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: repository }],
    sidebar: [...sidebar, { text: 'Decisions', collapsed: true, items: pagesIn('decisions') }],
  },
};
