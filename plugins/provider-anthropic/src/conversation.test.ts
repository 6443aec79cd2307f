import type { Message, TextPart } from '@patchbay/core/provider';
import { describe, expect, it } from 'vitest';
import { conversation } from './conversation.ts';

const of = (...messages: readonly Message[]) => conversation('anthropic', messages);
const refused = expect.objectContaining({ code: 'unsupported_parameter' });

describe('conversation', () => {
  it('marks what may be cached, wherever it stands', () => {
    const cache = { ttl: '1h' } as const;
    const cache_control = { type: 'ephemeral', ttl: '1h' };
    const call = { type: 'tool-call', id: 'toolu_1', name: 'find', arguments: {} } as const;
    const { system, messages } = of(
      { role: 'system', content: [{ type: 'text', text: 'Be brief.', cache: {} }] },
      { role: 'user', content: [{ type: 'image', url: 'https://example.test/a.png', cache }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Look.', cache },
          { ...call, cache },
        ],
      },
      { role: 'tool', toolCallId: 'toolu_1', content: [{ type: 'text', text: 'found', cache }] },
    );
    expect(system).toEqual([{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }]);
    expect(messages).toMatchObject([
      { content: [{ type: 'image', cache_control }] },
      {
        content: [
          { type: 'text', cache_control },
          { type: 'tool_use', cache_control },
        ],
      },
      { content: [{ type: 'tool_result', content: [{ type: 'text', text: 'found' }], cache_control }] },
    ]);
  });

  it('marks the result of a tool as a whole, for marks of its parts are refused', () => {
    const texts = ['a', 'b', 'c'].map((text) => ({ type: 'text', text }) as const);
    const [first, second, third] = texts as [TextPart, TextPart, TextPart];
    const content = [{ ...first, cache: {} }, { ...second, cache: { ttl: '1h' } as const }, third];
    const { messages, warnings } = of({ role: 'tool', toolCallId: 'a', content });
    const cache_control = { type: 'ephemeral', ttl: '1h' };
    expect(messages[0]?.content).toEqual([{ type: 'tool_result', tool_use_id: 'a', content: texts, cache_control }]);
    expect(warnings).toEqual([]);
  });

  it('an empty message is left out with a warning, and refused as the last one', () => {
    const empty = { role: 'user', content: [{ type: 'text', text: '' }] } as const;
    const answer = { role: 'assistant', content: 'b' } as const;
    const { messages, warnings } = of(empty, answer, { role: 'user', content: 'c' });
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'user']);
    expect(warnings).toEqual(['anthropic takes no empty messages: they were left out']);
    const errors = [expect.objectContaining({ pointer: '/messages/2/content' })];
    expect(() => of({ role: 'user', content: 'a' }, answer, empty)).toThrow(expect.objectContaining({ errors }));
    expect(() => of({ role: 'user', content: '' })).toThrow(refused);
  });

  it('says which marks have no place', () => {
    const cache = {} as const;
    const { messages, warnings } = of(
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'text', text: '', cache },
        ],
      },
      { role: 'assistant', content: [{ type: 'reasoning', text: 'Hm.', signature: 'sig', cache }] },
    );
    expect(messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm.', signature: 'sig' }] },
    ]);
    expect(warnings).toEqual([
      'anthropic takes no empty texts: they were left out, with their marks',
      'anthropic caches reasoning with what follows it, not by itself: its mark was left out',
    ]);
  });

  it.each([
    { type: 'container_upload', file_id: 'file_1' },
    { type: 'document', source: { type: 'file', file_id: 'file_1' } },
    { type: 'image', file_id: 'file_1' },
  ])('refuses what is stored at Anthropic under our key: %j', (block) => {
    const content = [{ type: 'reasoning', text: '', encrypted: '', extra: { 'anthropic-messages': block } }] as const;
    expect(() => of({ role: 'assistant', content })).toThrow(refused);
  });

  it('writes files as documents', () => {
    const text = Buffer.from('Grüße').toString('base64');
    const parts = [
      { type: 'file', data: 'JVBE', mediaType: 'application/pdf', name: 'a.pdf' },
      { type: 'file', url: 'https://example.test/b.pdf' },
      { type: 'file', url: `data:text/markdown;base64,${text}` },
      { type: 'file', data: 'AA==', mediaType: 'image/png' },
    ] as const;
    expect(of({ role: 'user', content: parts }).messages[0]?.content).toEqual([
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' }, title: 'a.pdf' },
      { type: 'document', source: { type: 'url', url: 'https://example.test/b.pdf' } },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Grüße' } },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
    ]);
  });

  it('refuses audio and files of other kinds', () => {
    const audio = { type: 'audio', data: 'AA==', mediaType: 'audio/wav' } as const;
    const archive = { type: 'file', data: 'AA==', mediaType: 'application/zip' } as const;
    expect(() => of({ role: 'user', content: [audio] })).toThrow(refused);
    expect(() => of({ role: 'user', content: [archive] })).toThrow(refused);
  });

  it('keeps the parts of the assistant in their order, and its reasoning as it was signed', () => {
    const block = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };
    const { messages, warnings } = of(
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm.', signature: 'sig' },
          { type: 'reasoning', text: '', encrypted: 'sealed', extra: { 'anthropic-messages': { novel: 1 } } },
          { type: 'reasoning', text: 'unsigned' },
          { type: 'reasoning', text: '', encrypted: '', extra: { 'anthropic-messages': block } },
          { type: 'text', text: 'I look.' },
          { type: 'tool-call', id: 'toolu_1', name: 'find', arguments: {} },
          { type: 'text', text: 'And now?' },
          { type: 'refusal', text: 'I cannot.' },
        ],
      },
    );
    expect(messages[1]?.content).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
      { type: 'redacted_thinking', data: 'sealed', novel: 1 },
      block,
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'toolu_1', name: 'find', input: {} },
      { type: 'text', text: 'And now?' },
      { type: 'text', text: 'I cannot.' },
    ]);
    expect(warnings).toEqual(['anthropic takes back only reasoning that it signed: the rest was left out']);
  });

  it('writes results of tools with their parts, and failures as such', () => {
    const image = { type: 'image', data: 'AA==', mediaType: 'image/png' } as const;
    const { messages } = of(
      { role: 'tool', toolCallId: 'a', content: [{ type: 'text', text: 'seen' }, image] },
      { role: 'tool', toolCallId: 'b', content: 'not found', isError: true },
    );
    expect(messages).toEqual([
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'a',
            content: [
              { type: 'text', text: 'seen' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
            ],
          },
          { type: 'tool_result', tool_use_id: 'b', content: 'not found', is_error: true },
        ],
      },
    ]);
  });

  it('writes parts that only Anthropic has in their place, and none of other vendors', () => {
    const extra = (members: object) => ({ 'anthropic-messages': { ...members }, google: { other: 1 } });
    const { messages } = of(
      { role: 'user', content: 'One.' },
      { role: 'user', content: 'Two.', extra: extra({ output_config: { effort: 'low' } }) },
      { role: 'user', content: [{ type: 'text', text: 'Three.', extra: extra({ citations: [] }) }] },
      { role: 'tool', toolCallId: 'a', content: '', extra: extra({ toolset_name: 'browser' }) },
    );
    expect(messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'One.' }] },
      { role: 'user', content: [{ type: 'text', text: 'Two.' }], output_config: { effort: 'low' } },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Three.', citations: [] },
          { type: 'tool_result', tool_use_id: 'a', content: '', toolset_name: 'browser' },
        ],
      },
    ]);
  });

  it('leaves system messages in their place where the model takes them there', () => {
    const say = (text: string) => ({ role: 'system', content: text }) as const;
    const call = { type: 'tool-call', id: 'a', name: 'find', arguments: {} } as const;
    const messages: readonly Message[] = [
      say('First.'),
      { role: 'user', content: 'Hi' },
      say('Before the answer.'),
      { role: 'assistant', content: [call] },
      say('Amid the call.'),
      { role: 'tool', toolCallId: 'a', content: 'found' },
      { role: 'assistant', content: 'Found.' },
      say('Before the question.'),
      { role: 'user', content: 'And?' },
      say('At the end.'),
    ];
    const { system, messages: sent, warnings } = conversation('anthropic', messages, true);
    const text = (said: string) => ({ type: 'text', text: said });
    expect(system).toEqual([text('First.')]);
    const roles = sent.map(({ role }) => role).join(' ');
    expect(roles).toBe('user system assistant user system assistant user system');
    expect(sent.filter(({ role }) => role === 'system').map(({ content }) => content)).toEqual([
      [text('Before the answer.')],
      [text('Amid the call.')],
      [text('Before the question.'), text('At the end.')],
    ]);
    expect(warnings).toEqual(['anthropic has system messages behind the question only: earlier ones were moved there']);
    expect(of(...messages).system).toHaveLength(5);
    expect(of(...messages).warnings).toEqual([
      'anthropic has system messages at the front only: later ones were moved there',
    ]);
  });

  it('sends system messages as the question where there is no other', () => {
    expect(of({ role: 'system', content: 'Say hello.' })).toEqual({
      system: [],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Say hello.' }] }],
      warnings: ['anthropic needs a question: the system messages were sent as one'],
    });
  });
});
