import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { anchorOf } from '../docs/.vitepress/anchor-of.ts';
import { sidebar } from '../docs/.vitepress/sidebar.ts';

const docs = fileURLToPath(new URL('../docs', import.meta.url));
const pages = globSync('**/*.md', { cwd: docs });
const root = fileURLToPath(new URL('..', import.meta.url));
const linking = globSync(
  ['*.md', 'docs/**/*.md', '{packages,plugins,examples}/*/README.md', '{bench,deploy}/README.md'],
  {
    cwd: root,
  },
).filter((page) => page !== 'CHANGELOG.md');

describe('the documentation', () => {
  it('the sidebar lists every page, and no page that does not exist', () => {
    const listed = sidebar.flatMap(({ items }) =>
      items.map(({ link }) => `${link === '/' ? '/index' : link}.md`.slice(1)),
    );
    // The decisions are listed as a whole.
    const written = pages.filter((page) => !page.startsWith('decisions/'));
    expect(listed.toSorted()).toEqual(written.toSorted());
  });

  // The site would take it for an element that is never closed.
  it.each(pages)('%s has no text that looks like HTML', (page) => {
    const text = readFileSync(join(docs, page), 'utf8').replaceAll(/```[\s\S]*?```|`[^`]*`/g, '');
    expect(text.match(/(?<!\\)<(?!!--)[a-z][^>]*>/gi) ?? []).toEqual([]);
  });

  it.each(pages)('%s links only to what is there', (page) => {
    const text = readFileSync(join(docs, page), 'utf8').replaceAll(/```[\s\S]*?```/g, '');
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, link]) => link ?? '');
    const broken = links.filter((link) => globSync(join(docs, dirname(page), link)).length === 0);
    expect(broken).toEqual([]);
  });

  it.each(linking)('%s links only to headings that exist', (page) => {
    const text = withoutBlocks(readFileSync(join(root, page), 'utf8'));
    const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)];
    const broken = links.filter(([, path = '', anchor = '']) => {
      const target = path === '' ? join(root, page) : join(root, dirname(page), path);
      return target.endsWith('.md') && !anchorsOf(readFileSync(target, 'utf8')).has(anchor);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});

function withoutBlocks(text: string): string {
  return text.replaceAll(/^( *)```[\s\S]*?^\1```/gm, '');
}

/** Anchors of the headings of a page, as GitHub and the site make them. */
function anchorsOf(text: string): Set<string> {
  const headings = withoutBlocks(text).matchAll(/^#+ (.+)$/gm);
  return new Set([...headings].map(([, heading = '']) => anchorOf(heading)));
}
