import type { Random } from '../driver/random.ts';

/** A request with everything in it that nothing here knows: members, spaces, escapes and numbers of all kinds. */
export function randomBody(random: Random, path: string, model: string): string {
  const content = random.pick([
    '"Hello"',
    '"\\u00e9 \\"quoted\\" \\\\ {}[],:"',
    '[{"type":"text","text":"Hi","cache_control":{"type":"ephemeral","ttl":"1h"}}]',
    '[{"type":"unknown_kind","value":{"deep":[1,2,{"x":null}]}}]',
  ]);
  const item = `{"role":"user","content":${content},"unknown":${value(random, 2)}}`;
  const inputs: Readonly<Record<string, readonly string[]>> = {
    '/v1/embeddings': ['"x"', '["a","b"]', '[1,2,3]'],
    '/v1/responses': ['"x"', `[${item}]`, `[{"type":"unknown_kind","value":${value(random, 2)}},${item}]`],
    '/v1/responses/compact': ['"x"', `[${item}]`],
  };
  const required: [string, string][] =
    path in inputs
      ? [['input', random.pick(inputs[path] ?? [])]]
      : [
          ['messages', `[{"role":"user","content":${content},"unknown":${value(random, 2)}}]`],
          ...(path === '/v1/messages' ? ([['max_tokens', '10']] as [string, string][]) : []),
        ];
  const unknown = Array.from({ length: random.below(6) }, (_, index): [string, string] => [
    `${random.pick(['new_member', 'context_management', 'späť', 'a b', '__proto__', 'thinking_x', '\\u0061bc'])}_${index}`,
    value(random, 3),
  ]);
  const members = shuffle(random, [['model', JSON.stringify(model)], ...required, ...unknown]);
  const written = members.map(([name, text]) => `${space(random)}"${name}"${space(random)}:${space(random)}${text}`);
  return `${space(random)}{${written.join(`${space(random)},`)}${space(random)}}${space(random)}`;
}

function value(random: Random, depth: number): string {
  const scalars = [
    'null',
    'true',
    'false',
    '0',
    '-0.0',
    '1e3',
    '1.50',
    '12345678901234567890',
    '""',
    '"\\ud83d\\ude80"',
    '"\\/"',
    '"ü"',
  ];
  if (depth === 0 || random.below(2) === 0) return random.pick(scalars);
  const items = Array.from({ length: random.below(4) }, () => value(random, depth - 1));
  if (random.below(2) === 0) return `[${items.join(`${space(random)},`)}]`;
  return `{${items.map((item, index) => `"m${index}"${space(random)}:${item}`).join(',')}}`;
}

const space = (random: Random): string => random.pick(['', '', '', ' ', '\n\t', '\r\n  ']);

function shuffle<T>(random: Random, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, key: random.below(1_000_000) }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
