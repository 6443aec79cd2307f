import { describe, expect, it } from 'vitest';
import { packToolId, unpackToolId } from './tool-ids.ts';

describe('ids of tool calls', () => {
  it.each(['call_1', 'gemini_6_call_1.Eq+QB/CkE==', 'a b', 'Grüße', packToolId('a.b')])('%j comes back', (id) => {
    expect(packToolId(id)).toMatch(/^[a-zA-Z0-9_-]+$/);
    expect(unpackToolId(packToolId(id))).toBe(id);
  });

  it.each(['call_1', 'toolu_01A', 'toolu_patchbay_', 'toolu_patchbay_?', 'toolu_patchbay_Y2FsbF8x'])(
    '%j of others stays as it is',
    (id) => expect(unpackToolId(id)).toBe(id),
  );
});
