import type { AssistantPart, Message, ToolResultPart, UserPart } from '@patchbay/core/provider';
import { describe, expect, it } from 'vitest';
import { conversation } from './conversation.ts';
import { packToolCallId } from './tool-call-id.ts';

const web = 'https://example.test/';
const refused = expect.objectContaining({ code: 'unsupported_parameter' });
const of = (messages: readonly Message[], model = 'gemini-3.8-flash') => conversation('google', model, messages);
const ofUser = (...content: readonly UserPart[]) => of([{ role: 'user', content }]);
const ofModel = (...content: readonly AssistantPart[]) => of([{ role: 'assistant', content }]);
const call = { type: 'tool-call', id: 'fc_1', name: 'find', arguments: {} } as const;
const ofTool = (content: string | readonly ToolResultPart[], more: object = {}, model?: string) =>
  of(
    [
      { role: 'assistant', content: [call] },
      { role: 'tool', toolCallId: 'fc_1', content, ...more },
    ],
    model,
  );

describe('media', () => {
  it.each<[string, UserPart, object]>([
    ['an image as data', { type: 'image', data: 'AA==', mediaType: 'image/png' }, inline('image/png')],
    ['an image in its address', { type: 'image', url: 'data:image/webp;base64,AA==' }, inline('image/webp')],
    ['audio', { type: 'audio', data: 'AA==', mediaType: 'audio/wav' }, inline('audio/wav')],
    ['a PDF', { type: 'file', data: 'AA==', mediaType: 'application/pdf' }, inline('application/pdf')],
    ['an image by its address', { type: 'image', url: `${web}a.JPG?x=1` }, linked('a.JPG?x=1', 'image/jpeg')],
    ['a PDF by its address', { type: 'file', url: `${web}b.pdf` }, linked('b.pdf', 'application/pdf')],
    ['a file of an unknown kind by its address', { type: 'file', url: `${web}c` }, linked('c')],
  ])('%s is sent', (_, part, wire) => {
    expect(ofUser(part)).toEqual({ contents: [{ role: 'user', parts: [wire] }], system: [], warnings: [] });
  });

  it.each([
    'https://generativelanguage.googleapis.com/v1beta/files/a',
    'https://storage.googleapis.com/bucket/a.png',
    'gs://bucket/a.png',
    'files/a',
    'data:text/plain,Hello',
  ])('media at %s is refused', (url) => {
    expect(() => ofUser({ type: 'image', url })).toThrow(refused);
  });

  it('names of files are left out, with a warning', () => {
    const { contents, warnings } = ofUser({ type: 'file', data: 'AA==', mediaType: 'application/pdf', name: 'a.pdf' });
    expect(contents[0]?.parts).toEqual([inline('application/pdf')]);
    expect(warnings).toEqual(['google takes no names of files: they were left out']);
  });
});

describe('members that only Gemini has', () => {
  const extra = (members: object) => ({ extra: { google: { ...members }, 'openai-chat': { other: 1 } } });

  it('they are sent with the part, the call or the result that has them', () => {
    const partMetadata = { from: 'test' };
    const { contents, system, warnings } = of([
      { role: 'system', content: [{ type: 'text', text: 'Be brief.', ...extra({ partMetadata }) }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.', ...extra({ partMetadata }) },
          { type: 'image', url: `${web}a.png`, ...extra({ mediaResolution: { level: 'MEDIA_RESOLUTION_LOW' } }) },
        ],
      },
      { role: 'assistant', content: [{ ...call, ...extra({ partMetadata }) }] },
      { role: 'tool', toolCallId: 'fc_1', content: 'x', ...extra({ willContinue: true }) },
    ]);
    expect(system).toEqual([{ text: 'Be brief.', partMetadata }]);
    expect(contents).toMatchObject([
      {
        parts: [
          { text: 'Look.', partMetadata },
          { ...linked('a.png', 'image/png'), mediaResolution: { level: 'MEDIA_RESOLUTION_LOW' } },
        ],
      },
      { parts: [{ functionCall: { name: 'find' }, partMetadata }] },
      { parts: [{ functionResponse: { id: 'fc_1', name: 'find', willContinue: true } }] },
    ]);
    expect(JSON.stringify(contents)).not.toContain('other');
    expect(warnings).toEqual([]);
  });

  it('those of messages, of empty texts and of texts in results have no place, which a warning says', () => {
    const { contents, warnings } = of([
      { role: 'user', content: 'Hi', ...extra({ one: 1 }) },
      { role: 'assistant', content: [call, { type: 'text', text: '', ...extra({ two: 2 }) }] },
      { role: 'tool', toolCallId: 'fc_1', content: [{ type: 'text', text: 'x', ...extra({ three: 3 }) }] },
    ]);
    expect(JSON.stringify(contents)).not.toMatch(/one|two|three/);
    expect(warnings).toEqual(['google has no place for these members where they stand: one, two, three']);
  });

  it('they never point to a file at Google', () => {
    const fileData = { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/a' };
    expect(() => ofUser({ type: 'text', text: 'Hi', ...extra({ fileData }) })).toThrow(refused);
    expect(() => ofUser({ type: 'image', url: `${web}a.png`, ...extra({ fileData }) })).toThrow(refused);
    expect(() => ofModel({ type: 'reasoning', text: '', ...extra({ fileData }) })).toThrow(refused);
  });
});

describe('thoughts', () => {
  it('they are sent back as they came: as a text, with their signature, or as a separate part', () => {
    const code = { executableCode: { language: 'PYTHON', code: '1' }, thoughtSignature: 'c2ln' };
    const { contents, warnings } = ofModel(
      { type: 'reasoning', text: 'Hm.' },
      { type: 'reasoning', text: 'Signed.', signature: 'c2ln' },
      { type: 'text', text: 'Seventeen.' },
      { type: 'reasoning', text: '', signature: 'dGV4dA==', extra: { google: { thought: false } } },
      { type: 'reasoning', text: '', extra: { google: code } },
    );
    expect(contents[0]?.parts).toEqual([
      { text: 'Hm.', thought: true },
      { text: 'Signed.', thought: true, thoughtSignature: 'c2ln' },
      { text: 'Seventeen.' },
      { text: '', thoughtSignature: 'dGV4dA==' },
      code,
    ]);
    expect(warnings).toEqual([]);
  });

  it('what another API encrypted is left out, with a warning', () => {
    const { contents, warnings } = ofModel({ type: 'reasoning', text: '', encrypted: 'sealed' }, call);
    expect(contents[0]?.parts).toHaveLength(1);
    expect(warnings).toEqual(['google reads no reasoning that another API encrypted: it was left out']);
  });

  it('of several calls at once, the first brings its signature', () => {
    const calls = [
      { ...call, id: packToolCallId('fc_1', 'c2ln') },
      { ...call, id: 'fc_2' },
      { ...call, id: 'fc_3' },
    ];
    const parts = ofModel(...calls).contents[0]?.parts;
    expect(parts?.map((part) => ('thoughtSignature' in part ? part.thoughtSignature : undefined))).toEqual([
      'c2ln',
      undefined,
      undefined,
    ]);
  });
});

it('a last message of the assistant stays the last content, for models that continue it', () => {
  const begun = { role: 'assistant', content: 'Hello' } as const;
  expect(of([{ role: 'user', content: 'Hi' }, begun], 'gemini-2.5-flash').contents).toEqual([
    { role: 'user', parts: [{ text: 'Hi' }] },
    { role: 'model', parts: [{ text: 'Hello' }] },
  ]);
});

describe('results of tools', () => {
  it.each([
    ['{"sky":"clear"}', {}, { sky: 'clear' }],
    ['[1]', {}, { result: '[1]' }],
    ['noon', {}, { result: 'noon' }],
    ['', {}, { result: '' }],
    ['not found', { isError: true }, { error: 'not found' }],
    ['{"result":1,"at":2}', { isError: true }, { error: { result: 1, at: 2 } }],
  ])('%s with %j is %j', (content, more, response) => {
    const parts = [{ functionResponse: { id: 'fc_1', name: 'find', response } }];
    expect(ofTool(content, more).contents[1]?.parts).toEqual(parts);
  });

  it('those of one turn are in one content, whatever message they came in', () => {
    const { contents } = of([
      { role: 'assistant', content: [call, { ...call, id: 'fc_2', name: 'now' }] },
      { role: 'tool', toolCallId: 'fc_1', content: 'a' },
      { role: 'tool', toolCallId: 'fc_2', content: 'b' },
      { role: 'user', content: 'Well?' },
    ]);
    expect(contents[1]).toEqual({
      role: 'user',
      parts: [
        { functionResponse: { id: 'fc_1', name: 'find', response: { result: 'a' } } },
        { functionResponse: { id: 'fc_2', name: 'now', response: { result: 'b' } } },
        { text: 'Well?' },
      ],
    });
  });

  it('images and files come with the result since Gemini 3, as data', () => {
    const image = { type: 'image', data: 'AA==', mediaType: 'image/png' } as const;
    const { contents } = ofTool([{ type: 'text', text: 'seen' }, image]);
    expect(contents[1]?.parts).toEqual([
      { functionResponse: { id: 'fc_1', name: 'find', response: { result: 'seen' }, parts: [inline('image/png')] } },
    ]);
    expect(() => ofTool([image], {}, 'gemini-2.5-flash')).toThrow(refused);
    expect(() => ofTool([{ type: 'image', url: `${web}a.png` }])).toThrow(refused);
  });
});

function inline(mimeType: string) {
  return { inlineData: { mimeType, data: 'AA==' } };
}

function linked(path: string, mimeType?: string) {
  return { fileData: { fileUri: `https://example.test/${path}`, ...(mimeType && { mimeType }) } };
}
