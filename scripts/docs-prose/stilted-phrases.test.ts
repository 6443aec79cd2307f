import { describe, expect, it } from 'vitest';
import { stiltedPages, stiltedPhrases } from './stilted-phrases.ts';

describe('stiltedPhrases', () => {
  it.each([
    '## What it does',
    '/** What a request costs. */',
    'After 15 s the server is taken for dead.',
    'Nobody waits for it.',
    'A model that fails is left alone.',
    'Put events on the way.',
    'Every process is told at once.',
    'Work that is done now and then.',
    'The disk gives out first.',
    "Plugins of one's own.",
    'It is made anew.',
    'The key of somebody else.',
    'The file has to be there.',
    'Both start at the same moment.',
    'The log contains nothing of the input.',
    'Tenants are served in turns.',
    'A process of its own.',
    'While requests are under way.',
  ])('the phrase in "%s" is reported with its line', (text) => {
    expect(stiltedPhrases('page.md', `\n${text}\n`)).toEqual([expect.stringMatching(/^page\.md:2: ".+"; write /)]);
  });

  it('code, and headings that name a task, are accepted', () => {
    expect(
      stiltedPhrases('page.md', '## What to do\n\n```sh\necho nobody\n```\n\nThe user `nobody` exists.\n'),
    ).toEqual([]);
  });

  it('only comments and test titles of sources are searched', () => {
    const comments = "/**\n * Nobody reads it.\n */\nconst a = 'nobody';\n  // Nobody.\n/** Nobody. */\n";
    expect(stiltedPhrases('a.ts', `${comments}it('is given up', () => {\n`)).toHaveLength(4);
  });
});

it('no page, comment or test title contains a stilted phrase', () => {
  expect(stiltedPages()).toEqual([]);
});
