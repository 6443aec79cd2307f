/* oxlint-disable -- what is wrong in it is what is tested */
// Compiled by `types.test.ts` under several versions of TypeScript, in a project as `tsc --init` makes it; never run.

import {
  AI,
  APIError,
  ai,
  type Call,
  createClient,
  type Generation,
  type OutputOf,
  type TextStream,
  type ToolCallPart,
} from '@patchbay/client';
import { mockClient } from '@patchbay/client/testing';
import { type Static, Type } from '@sinclair/typebox';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import { Type as Type1 } from 'typebox';
import * as v from 'valibot';
import * as z from 'zod';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function same<A, B>(yes: Same<A, B>): void;

// Every name is a function, and its output can be used without a cast.
export const summary: string = (await ai.summarize({ text: 'long' })).text;
export const named = await ai['Summarize Text']({ text: 'long' }, { model: 'openai/gpt-4' });

// Declared outputs are exact.
const declared = AI({
  leanCanvas: {
    productName: 'name of the product',
    problem: ['top 3 problems'],
    stage: 'idea | mvp | scale up',
    score: 'score 0 to 100 (integer)',
    share: Number,
    isNew: Boolean,
    name: String,
    due: 'when (date)',
    phone: 'Phone (number) (string)',
    prose: 'Use A | B notation to describe it',
    questions: [{ question: 'a question', answers: ['yes | no'] }],
    examples: ['a', 'b', 'etc.'],
    'notes?': 'what else there is',
    'nested?': { deep: { count: '(number)' } },
  },
  zod: z.object({ title: z.string(), at: z.string().transform((text) => new Date(text)) }),
  list: z.array(z.number()),
  valibot: toStandardJsonSchema(v.object({ a: v.optional(v.string()) })),
  arktype: type({ 'a?': 'string', b: 'number[]' }),
  typebox: Type.Object({ a: Type.String(), b: Type.Optional(Type.Array(Type.Integer())) }),
  json: {
    type: 'object',
    properties: {
      a: { type: 'string' },
      b: { type: 'array', items: { type: 'integer' } },
      c: { enum: ['x', 'y'] },
      d: { type: 'object', properties: { e: { type: 'boolean' } }, required: ['e'] },
      f: { const: 5 },
    },
    required: ['a', 'd'],
  },
  rows: { type: 'array', items: { type: 'number' } },
});
const canvas = await declared.leanCanvas({ idea: 'a museum' });
same<
  typeof canvas,
  {
    productName: string;
    problem: string[];
    stage: 'idea' | 'mvp' | 'scale up';
    score: number;
    share: number;
    isNew: boolean;
    name: string;
    due: string;
    phone: string;
    prose: string;
    questions: { question: string; answers: ('yes' | 'no')[] }[];
    examples: string[];
    notes?: string;
    nested?: { deep: { count: number } };
  }
>(true);
const zod = await declared.zod({});
same<typeof zod, { title: string; at: Date }>(true);
const list = await declared.list({});
same<typeof list, number[]>(true);
const valibot = await declared.valibot({});
export const fromValibot: string | undefined = valibot.a;
const arktype = await declared.arktype({});
same<typeof arktype, { a?: string; b: number[] }>(true);
const typebox = await declared.typebox({});
export const fromTypebox: string = typebox.a;
export const fromTypeboxList: number[] | undefined = typebox.b;
const json = await declared.json({});
same<typeof json, { a: string; d: { e: boolean }; b?: number[]; c?: 'x' | 'y'; f?: 5 }>(true);
const rows = await declared.rows({});
same<typeof rows, number[]>(true);
const shape1 = Type1.Object({ a: Type1.String(), b: Type1.Optional(Type1.Number()) });
export const typebox1: { a: string; b?: number } = await ai.$call('f', {}, { schema: shape1 });
export type FromTypebox = Static<ReturnType<typeof Type.String>>;

// Undeclared names work on a declared object too, also under `noUncheckedIndexedAccess`.
export const story: string = (await declared.storyBrand({ idea: 'x' })).hero;

// A call can say its own shape.
const headline = await ai.$call('headline', { about: 'x' }, { schema: { tone: 'bold | calm' } });
same<typeof headline, { tone: 'bold' | 'calm' }>(true);
const other = await declared.leanCanvas({}, { schema: { n: Number } });
same<typeof other, { n: number }>(true);
const byName = await declared.$call('leanCanvas', {});
same<typeof byName, typeof canvas>(true);
same<OutputOf<{ readonly a: 'x | y' }>, { a: 'x' | 'y' }>(true);

// Calls are promises that can tell more, streams show parts.
const call: Call<{ title: string; at: Date }> = declared.zod({});
const { data, meta } = await call.withMeta();
same<typeof data, { title: string; at: Date }>(true);
export const tokens: number | undefined = meta.totalTokens;
export const response: Response = await call.asResponse();
const stream = declared.leanCanvas.stream({ idea: 'x' });
for await (const part of stream) {
  same<typeof part.stage, 'idea' | 'mvp' | 'scale up' | undefined>(true);
  const answers: ('yes' | 'no')[] | undefined = part.questions?.[0]?.answers;
  if (answers) break;
}
same<Awaited<ReturnType<typeof stream.final>>, typeof canvas>(true);

// The object is no promise.
const awaited = await declared;
same<typeof awaited, typeof declared>(true);
const derived = declared.$with({ model: 'auto', timeout: 20_000 });
same<typeof derived, typeof declared>(true);

// Prompts and sampling are no options.
// @ts-expect-error
declared.leanCanvas({}, { temperature: 0.2 });
// @ts-expect-error
declared.leanCanvas({}, { prompt: 'x' });
// @ts-expect-error
declared.leanCanvas({}, { model: 5 });
// @ts-expect-error
declared.leanCanvas('text');
// @ts-expect-error
declared.$with({ schema: { a: 'x' } });
// @ts-expect-error
canvas.stage === 'other';
// @ts-expect-error
canvas.unknown;
// @ts-expect-error
AI({ f: { a: 5 } });
// @ts-expect-error
AI({ f: 'text' });

// The endpoints say what they take and answer.
const client = createClient({ baseUrl: 'https://patchbay.example', apiKey: async () => 'key' });
export const text: string = (await client.generate({ prompt: 'x', temperature: 0.2 })).text;
export const total: number = (await client.functions.list({ order: 'asc' })).meta.total;
// @ts-expect-error
client.generate({ prompt: 'x', max_tokens: 5 });
// @ts-expect-error
client.generate({ prompt: 'x', stream: 'yes' });
const spoken = client.chat({ messages: [{ role: 'user', content: 'x' }], stream: true });
for await (const piece of spoken) same<typeof piece, string>(true);
const { message } = await spoken.final();
export const said: string = message.content;
const toolCall = message.parts?.find((part): part is ToolCallPart => part.type === 'tool-call');
client.chat({
  messages: [
    message,
    { role: 'tool', toolCallId: toolCall?.id ?? '', content: [{ type: 'text', text: 'x' }], isError: true },
  ],
  tools: [{ name: 'f', parameters: { type: 'object' } }],
  toolChoice: { name: 'f' },
  reasoningEffort: 'low',
});
// @ts-expect-error
client.chat({ messages: [{ role: 'tool', content: 'x' }] });
// @ts-expect-error
client.chat({ messages: [], reasoningEffort: 'most' });
const { generate, AI: declare } = client;
const generation = generate({ prompt: 'x', stream: false });
same<typeof generation, Promise<Generation>>(true);
const either = generate({ prompt: 'x', stream: said.length > 1 });
same<typeof either, TextStream<Generation> | Promise<Generation>>(true);
const taken = declare({ f: { n: Number } });
same<Awaited<ReturnType<typeof taken.f>>, { n: number }>(true);

// The options of a call.
declared.leanCanvas({}, { cache: 'reload', metadata: { page: 'home' } });
// @ts-expect-error
declared.leanCanvas({}, { cache: 'only-if-cached' });
// @ts-expect-error
declared.leanCanvas({}, { metadata: { page: 5 } });

// Mocks are typed by the same declaration.
const shapes = { headline: { text: 'a text', tone: 'bold | calm' } } as const;
const mock = mockClient(shapes, { headline: () => ({ text: 'x', tone: 'bold' }), any: () => ({ n: 1 }) });
same<Awaited<ReturnType<typeof mock.ai.headline>>, { text: string; tone: 'bold' | 'calm' }>(true);
// @ts-expect-error
mockClient(shapes, { headline: () => ({ text: 'x', tone: 'loud' }) });

try {
  await ai.f();
} catch (error) {
  if (error instanceof APIError) same<typeof error.status, number>(true);
}
