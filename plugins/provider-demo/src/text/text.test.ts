import { estimateTokens } from '@patchbay/core/provider';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutToCharacters, cutToTokens } from './cut-text.ts';
import { keywordsOf } from './keywords.ts';
import { mostCentral, nearest } from './rank-sentences.ts';
import { isQuestion, sentencesOf } from './sentences.ts';
import { termsOf, wordsOf } from './words.ts';

const textsOf = (sentences: readonly { readonly text: string }[]) => sentences.map(({ text }) => text);

describe('words', () => {
  it('are in lower case, and the parts of names apart', () => {
    expect(wordsOf('getWeather for_Zürich v2')).toEqual(['get', 'weather', 'for', 'zürich', 'v2']);
  });

  it('become the same term in their forms, and common ones none', () => {
    expect(termsOf('the prices')).toEqual(termsOf('pricing'));
    expect(termsOf('city')).toEqual(termsOf('cities'));
    expect(termsOf('What is this of the')).toEqual([]);
  });

  it('are pairs of characters where a script has no spaces', () => {
    expect(termsOf('東京都')).toEqual(['東京', '京都']);
  });
});

describe('sentences', () => {
  it('end at marks and lines, not within numbers and abbreviations before a small letter', () => {
    const text = 'It costs 3.5 euro. Really? Yes, e.g. in "Rome."\n- one\n- two\n\n東京です。雨です。';
    expect(textsOf(sentencesOf(text))).toEqual([
      'It costs 3.5 euro.',
      'Really?',
      'Yes, e.g. in "Rome."',
      'one',
      'two',
      '東京です。',
      '雨です。',
    ]);
  });

  it('are questions by their mark or first word', () => {
    const questions = sentencesOf('Is it?\nwhere is Rome\nWhat follows: a list\nIt is.').map(isQuestion);
    expect(questions).toEqual([true, true, false, false]);
  });

  it('are ranked by the middle of the text and by a question, and stay in order', () => {
    const sentences = sentencesOf(
      'The bridge was built in 1890. My aunt likes tea. The bridge spans the river. Steel of the bridge rusts.',
    );
    expect(textsOf(mostCentral(sentences, 2))).toEqual([
      'The bridge was built in 1890.',
      'The bridge spans the river.',
    ]);
    expect(textsOf(nearest(sentences, termsOf('who likes the river?'), 2))).toEqual([
      'My aunt likes tea.',
      'The bridge spans the river.',
    ]);
    expect(nearest(sentences, termsOf('quantum'), 2)).toEqual([]);
  });
});

describe('keywords', () => {
  it('are the most frequent words, as they were written first', () => {
    expect(keywordsOf('JavaScript runs. The runners run javascript 2026 times, running.')).toEqual([
      'runs',
      'javascript',
      'runners',
      'times',
    ]);
  });
});

describe('cutting', () => {
  it('keeps whole words where there are some', () => {
    expect(cutToCharacters('one two three', 7)).toBe('one two');
    expect(cutToCharacters('one two three', 9)).toBe('one two');
    expect(cutToCharacters('onetwothree', 4)).toBe('onet');
    expect(cutToCharacters('😀😀😀', 2)).toBe('😀😀');
  });

  it('leaves as many tokens as allowed, and a beginning of the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, count) => {
        const cut = cutToTokens(text, count);
        expect(estimateTokens(cut)).toBeLessThanOrEqual(count);
        expect(text.startsWith(cut)).toBe(true);
      }),
      { seed: 20_261_121 },
    );
  });
});
