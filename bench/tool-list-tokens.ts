/**
 * The tokens that the definitions of tools take in the prompt of a model: of 500 functions as tools, and of code mode, by the
 * tokenizer of the models of OpenAI since GPT-4o. No tokenizer of another vendor is published as a library.
 *
 *     node --conditions=source bench/tool-list-tokens.ts [functions]
 */
import { createApp, createRequestContext } from '@patchbay/core';
import { definePlugin, type Schema, tenantId } from '@patchbay/core/plugin';
import { respond } from '@patchbay/mcp';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { openScorecard } from '../scripts/scorecard/open-scorecard.ts';
import type { Figure } from '../scripts/scorecard/scorecard-record.ts';

const scorecard = openScorecard('tool-list-tokens');
const count = Number(process.argv[2] ?? 500);

const verbs = ['list', 'get', 'create', 'update', 'cancel', 'export', 'approve', 'assign', 'archive', 'search'];
const nouns = [
  'invoice',
  'order',
  'customer',
  'shipment',
  'contract',
  'ticket',
  'project',
  'payment',
  'product',
  'employee',
];
const places = ['in the shop', 'of a supplier', 'of the warehouse', 'of a partner', 'in the archive'];

const text = (description: string): Schema => ({ type: 'string', description });

/** A function of ordinary size: a description, four properties in and five out. */
function sampleFunction(index: number) {
  const verb = verbs[index % 10] ?? '';
  const noun = nouns[Math.floor(index / 10) % 10] ?? '';
  const place = places[Math.floor(index / 100) % 5] ?? '';
  return {
    name: `${verb} ${noun} ${place}`,
    description: `Use it to ${verb} one ${noun} or several ${place}. The result has the state of each ${noun} after the change.`,
    input: {
      type: 'object',
      properties: {
        [`${noun}Id`]: text(`Id of the ${noun}.`),
        status: {
          type: 'string',
          enum: ['open', 'closed', 'pending'],
          description: `Only a ${noun} with this status.`,
        },
        limit: { type: 'integer', minimum: 1, maximum: 100, default: 20, description: 'Entries to return at most.' },
        since: text('ISO 8601 date; nothing older is returned.'),
      },
      required: [`${noun}Id`],
    },
    output: {
      type: 'object',
      properties: {
        [`${noun}s`]: {
          type: 'array',
          items: {
            type: 'object',
            properties: { id: text('Id.'), status: text('Status after the change.'), amountCents: { type: 'integer' } },
            required: ['id', 'status'],
          },
        },
        total: { type: 'integer' },
      },
      required: [`${noun}s`],
    },
    code: 'export default () => ({})',
  } as const;
}

const executor = definePlugin({
  name: 'no-executor',
  kind: 'executor',
  version: 1,
  config: { properties: {} },
  create: () => ({
    prepareProgram: async ({ code }) => ({ artifact: code }),
    execute: () => Promise.reject(new Error('nothing runs here')),
  }),
});
const app = await createApp({ patchbay: 1, executor: { use: executor } });
const caller = { id: 'bench', kind: 'service', tenant: tenantId('bench'), scopes: ['*'] } as const;
const context = createRequestContext({ app, caller, requestId: 'request_bench' });
for (let index = 0; index < count; index++) await app.services.functions.create(sampleFunction(index), context);

interface ListedTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: object;
}

async function listTools(mode: 'functions' | 'code'): Promise<readonly ListedTool[]> {
  const tools: ListedTool[] = [];
  let cursor: string | undefined;
  do {
    const params = cursor === undefined ? {} : { cursor };
    const headers: Readonly<Record<string, string>> = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2025-11-25',
    };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params };
    const { body } = await respond({ message, mode, header: (name) => headers[name], context }, app);
    let json = '';
    if (typeof body === 'string') json = body;
    else for await (const bytes of body ?? []) json += Buffer.from(bytes).toString();
    const { result } = JSON.parse(json.replace(/^[\s\S]*?data: /u, '')) as {
      readonly result: { readonly tools: readonly ListedTool[]; readonly nextCursor?: string };
    };
    tools.push(...result.tools);
    cursor = result.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

/** The tokens of tools in a prompt: clients include the name, the description and the input schema of each. */
const tokensOf = (tools: readonly ListedTool[]): number =>
  countTokens(JSON.stringify(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))));

const isFunction = ({ name }: ListedTool): boolean => !name.includes('_');
const direct = tokensOf((await listTools('functions')).filter(isFunction));
const definitions = tokensOf(await listTools('code'));
const { codeMode } = app.services;
const found = await codeMode.search('approve the payment of a supplier', context);
const described = await codeMode.describe(
  found.slice(0, 3).map(({ name }) => name),
  context,
);
const task = definitions + countTokens(JSON.stringify(found)) + countTokens(described);
context.close();
await app.host.stop(0);

const saved = (tokens: number): number => Math.round((1 - tokens / direct) * 1_000) / 10;
const tools = `${count.toLocaleString('en-US')} functions`;
console.log(`${tools} as tools: ${direct} tokens`);
console.log(`code mode: ${definitions} tokens, ${saved(definitions)} % less`);
console.log(`code mode with a search and three functions: ${task} tokens, ${saved(task)} % less`);
const figures: Figure[] = [
  { what: `definitions of ${tools} as tools`, value: direct, unit: 'tokens', note: '`o200k_base`' },
  {
    what: `definitions of code mode for ${tools}`,
    value: definitions,
    unit: 'tokens',
    note: `${saved(definitions)} % less; the same for any number of functions`,
  },
  {
    what: 'the same with one search and the types of three functions',
    value: task,
    unit: 'tokens',
    note: `${saved(task)} % less`,
  },
];
scorecard.record(figures);
