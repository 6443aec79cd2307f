import { fitsGlob, nameKey } from '@patchbay/contracts/base/names';
import { describe, expect, it } from 'vitest';
import { fillTemplate, unknownPlaceholders } from './check-settings.ts';
import { configLayers, effectiveSettings, explainSettings } from './settings-service.ts';

describe('nameKey', () => {
  it.each([
    ['Summarize Text', 'summarizeText'],
    ['summarizeText', 'summarizeText'],
    ['summarize_text', 'summarizeText'],
    ['URL check', 'uRLCheck'],
    ['  billing.Total  2 ', 'billingTotal2'],
    ['Größe messen', 'größeMessen'],
    ['要約する', '要約する'],
    ['!?', ''],
    ['', ''],
  ])('turns %j into the key %j', (name, key) => {
    expect(nameKey(name)).toBe(key);
  });
});

describe('fitsGlob', () => {
  it.each([
    ['*', 'anything', true],
    ['summarize*', 'summarizeText', true],
    ['summarize*', 'Summarize', false],
    ['*Text', 'summarizeText', true],
    ['s*ize*xt', 'summarizeText', true],
    ['a*a', 'a', false],
    ['a.c', 'abc', false],
    ['abc', 'abc', true],
    ['abc', 'abcd', false],
  ])('%s and %s: %s', (pattern, name, fits) => {
    expect(fitsGlob(pattern, name)).toBe(fits);
  });

  it('a pattern with many stars takes no time', () => {
    expect(fitsGlob('*a'.repeat(200), `${'a'.repeat(10_000)}b`)).toBe(false);
  });
});

describe('templates', () => {
  const values = { name: 'Rate', description: 'Rates.', input: { text: 'a {{name}}', tags: ['x'], deep: { n: 1 } } };

  it('a template inserts strings as they are, and other values as JSON', () => {
    const template = '{{name}}: {{ input.text }} {{input.tags}} {{input.deep.n}} [{{input.none}}]';
    expect(fillTemplate(template, values)).toBe('Rate: a {{name}} ["x"] 1 []');
    expect(fillTemplate('{{input}}', values)).toBe(JSON.stringify(values.input));
  });

  it('a template sees own members only', () => {
    expect(fillTemplate('[{{input.constructor}}{{input.tags.length}}{{input.__proto__}}]', values)).toBe('[1]');
  });

  it('unknown placeholders of a template are found', () => {
    expect(unknownPlaceholders('{{input}} {{inputs.text}} {{ }} {{input.}}')).toEqual([
      '{{inputs.text}}',
      '{{ }}',
      '{{input.}}',
    ]);
  });

  it('a placeholder that never ends takes no time', () => {
    const endless = `{{${' '.repeat(100_000)}`;
    expect(unknownPlaceholders(endless)).toEqual([]);
    expect(fillTemplate(endless, values)).toBe(endless);
  });
});

describe('settings', () => {
  const configured = {
    '*': { temperature: 0.5, model: 'a/one' },
    'summarize*': { model: 'a/two' },
    other: { topP: 1 },
  };

  it('the last layer that has a setting wins, with its source', () => {
    const stored = { source: 'stored production (version 3)', values: { temperature: 0 }, version: 3 };
    const layers = [...configLayers(configured, 'Summarize Text'), stored];
    expect(effectiveSettings(layers)).toEqual({ model: 'a/two', temperature: 0, repairs: 2, cacheSeconds: 0 });
    expect(explainSettings(layers)).toEqual([
      { name: 'model', value: 'a/two', source: 'config summarize*' },
      { name: 'repairs', value: 2, source: 'default' },
      { name: 'cacheSeconds', value: 0, source: 'default' },
      { name: 'temperature', value: 0, source: 'stored production (version 3)' },
    ]);
  });
});
