import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type EventKindName, eventKinds } from './event-kinds.ts';

const page = readFileSync(new URL('../../../../docs/reference/webhook-events.md', import.meta.url), 'utf8');
const kinds = Object.keys(eventKinds) as EventKindName[];

/** The section of the page about a kind. */
function section(kind: string): string {
  const start = page.indexOf(`\n## ${kind}\n`);
  const end = page.indexOf('\n## ', start + 1);
  return page.slice(start, end === -1 ? undefined : end);
}

describe('docs/reference/webhook-events.md', () => {
  it('the page has a section for every kind, and no other', () => {
    expect([...page.matchAll(/^## (.+)$/gm)].map(([, kind]) => kind)).toEqual(kinds);
  });

  it.each(kinds)('documents %s as its schema declares it', (kind) => {
    const { summary, data, example } = eventKinds[kind];
    const text = section(kind);
    expect(text).toContain(`\n${summary}\n`);
    const rows = [...text.matchAll(/^\| `(\w+)` +\| ([^|]+?) +\| ([^|]+?) +\|$/gm)].map(([, ...cells]) => cells);
    const properties: Readonly<Record<string, { type?: string | readonly string[]; description?: string }>> =
      data.properties;
    expect(rows.map(([name, type]) => [name, type])).toEqual(
      Object.entries(properties).map(([name, { type = '' }]) => [name, [type].flat().join(' or ')]),
    );
    for (const [name = '', , meaning = ''] of rows) expect(meaning).toContain(properties[name]?.description);
    const [, block = ''] = /```json\n([\s\S]*?)```/.exec(text) ?? [];
    expect(JSON.parse(block)).toMatchObject({ type: kind, data: example });
  });

  it('kinds have hierarchical names and examples without content', () => {
    for (const kind of kinds) {
      expect(kind).toMatch(/^[a-z_]+(\.[a-z_]+)+$/);
      expect(JSON.stringify(eventKinds[kind].example).length).toBeLessThan(1_000);
    }
  });
});
