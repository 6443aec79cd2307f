import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { sidebar } from '../docs/.vitepress/sidebar.ts';

const docs = fileURLToPath(new URL('../docs', import.meta.url));
const pages = globSync('**/*.md', { cwd: docs });

describe('the documentation', () => {
  it('has every page in its sidebar, and no page that is not there', () => {
    const listed = sidebar.flatMap(({ items }) =>
      items.map(({ link }) => `${link === '/' ? '/index' : link}.md`.slice(1)),
    );
    // Two folders are listed as a whole.
    const written = pages.filter((page) => !/^(decisions|reference\/errors)\//.test(page));
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
});
