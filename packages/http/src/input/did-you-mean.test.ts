import { describe, expect, it } from 'vitest';
import { didYouMean } from './did-you-mean.ts';

const known = ['maxTokens', 'temperature', 'topP', 'name'];

describe('didYouMean', () => {
  it.each([
    ['max_tokens', 'maxTokens'],
    ['MaxTokens', 'maxTokens'],
    ['max-token', 'maxTokens'],
    ['temprature', 'temperature'],
    ['top_p', 'topP'],
    ['nam', 'name'],
    ['nmae', 'name'],
    ['anme', 'name'],
    ['temperatuer', 'temperature'],
  ])('%s', (given, meant) => {
    expect(didYouMean(given, known)).toBe(`; did you mean ${meant}?`);
  });

  it.each(['', 'x', 'colour', '__proto__', 'n'.repeat(1_000)])('says nothing for %.20j', (given) => {
    expect(didYouMean(given, known)).toBe('');
    expect(didYouMean(given, [])).toBe('');
  });
});
