import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { counted } from './output.ts';

describe('counted', () => {
  it.each([
    [0, 'key', undefined, '0 keys'],
    [1, 'key', undefined, '1 key'],
    [2, 'entry', 'entries', '2 entries'],
    [1, 'entry', 'entries', '1 entry'],
  ])('%d %s', (count, singular, plural, text) => {
    expect(counted(count, singular, plural)).toBe(text);
  });
});

it('notes and results of commands count through it', () => {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const nouns =
    'functions|keys|rows|entries|models|executions|calls|attempts|webhooks|deliveries|tokens|tests|logs|plugins';
  const plain = new RegExp(`\\.(?:note|result|info)\\(.*\\$\\{(?!command\\})[^}]+\\} (?:model )?(?:${nouns})\\b`);
  const found = globSync('{cli,commands,dev}/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] }).flatMap((file) =>
    readFileSync(root + file, 'utf8')
      .split('\n')
      .filter((line) => plain.test(line) && !/length > 1|PAGE|\} \+ \$\{/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});
