import { upstreamReplies } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import { asked, responses, startForwardingApp } from './forwarding-app.ts';

const says = (...content: readonly object[]) => ({ role: 'user', content });
const image = (image_url: string) => ({ input: [says({ type: 'input_image', image_url })] });
const refusedByVendor = upstreamReplies.body('{}', { status: 422 });
const faultOf = async (response: Response) => {
  const { error } = (await response.json()) as { error: object };
  return { status: response.status, ...error };
};

describe('a policy for requests for responses', () => {
  const byVendor = [
    [{ tools: [{ type: 'web_search' }] }, 'tools[0].type'],
    [{ tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }, 'tools[0].type'],
    [{ tools: [{ type: 'mcp', server_label: 'x', server_url: 'https://example.com/mcp' }] }, 'tools[0].type'],
    [{ tools: [{ type: 'image_generation' }] }, 'tools[0].type'],
    [{ tools: [{ type: 'computer' }] }, 'tools[0].type'],
    [{ tools: [{ type: 'namespace', name: 'x', tools: [{ type: 'web_search' }] }] }, 'tools[0].tools[0].type'],
    [{ tools: [{ type: 'shell', environment: { type: 'container_auto' } }] }, 'tools[0].type'],
    [
      { input: [{ type: 'additional_tools', role: 'developer', tools: [{ type: 'web_search' }] }] },
      'input[0].tools[0].type',
    ],
  ] as const;

  it.each(byVendor)('refuses tools that the vendor runs: %j', async (members, param) => {
    const app = await startForwardingApp();
    const fault = await faultOf(await app.send(responses, asked('openai/large', members)));
    expect(fault).toMatchObject({ status: 400, type: 'invalid_request', param });
    expect(app.openai.requests).toEqual([]);
  });

  it('lets them through where the config allows them, and tools that the client runs always', async () => {
    const allowing = await startForwardingApp({ gateway: { vendorTools: true } });
    allowing.openai.script(refusedByVendor);
    for (const [members] of byVendor) {
      expect((await allowing.send(responses, asked('openai/large', members))).status).toBe(422);
    }
    const app = await startForwardingApp();
    app.openai.script(refusedByVendor);
    const tools = [
      { type: 'function', name: 'find', parameters: {} },
      { type: 'custom', name: 'patch' },
      { type: 'apply_patch' },
      { type: 'shell', environment: { type: 'local' } },
    ];
    const listed = {
      type: 'mcp_list_tools',
      id: 'mcpl_1',
      server_label: 'x',
      tools: [{ name: 'a', input_schema: {} }],
    };
    const sent = asked('openai/large', { tools, input: [listed, says({ type: 'input_text', text: 'Hi' })] });
    expect((await app.send(responses, sent)).status).toBe(422);
  });

  it.each([
    [{ previous_response_id: 'resp_2' }, 'previous_response_id'],
    [{ conversation: 'conv_1' }, 'conversation'],
    [{ conversation: { id: 'conv_1' } }, 'conversation.id'],
    [{ prompt: { id: 'pmpt_1' } }, 'prompt.id'],
    [{ input: [{ type: 'item_reference', id: 'msg_2' }] }, 'input[0].id'],
    [{ input: [{ id: 'msg_2' }] }, 'input[0].id'],
    [{ input: [{ type: 'image_generation_call', id: 'ig_1' }] }, 'input[0].id'],
    [{ input: [says({ type: 'input_file', file_id: 'file-1' })] }, 'input[0].content[0].file_id'],
    [{ input: [says({ type: 'input_image', file_id: 'file-1' })] }, 'input[0].content[0].file_id'],
    [{ tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }, 'tools[0].vector_store_ids[0]'],
    [{ tools: [{ type: 'code_interpreter', container: 'cntr_1' }] }, 'tools[0].container'],
    [
      { tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: ['file-1'] } }] },
      'tools[0].container.file_ids[0]',
    ],
  ])('refuses the id of an object that no tenant received: %j', async (members, param) => {
    const app = await startForwardingApp({ gateway: { vendorTools: true } });
    const fault = await faultOf(await app.send(responses, asked('openai/large', members)));
    expect(fault).toMatchObject({ status: 404, code: 'stored_object_not_found', param });
    expect(app.openai.requests).toEqual([]);
  });

  it('lets a tenant use the containers and files that it received', async () => {
    const app = await startForwardingApp({ gateway: { vendorTools: true } });
    const annotation = { type: 'container_file_citation', container_id: 'cntr_1', file_id: 'cfile_1' };
    const content = [{ type: 'output_text', text: 'a.csv', annotations: [annotation] }];
    const output = [{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content }];
    const made = { id: 'resp_1', object: 'response', status: 'completed', output };
    app.openai.script(upstreamReplies.body(JSON.stringify(made)), refusedByVendor);
    await app.send(responses, asked());
    const tools = [{ type: 'code_interpreter', container: 'cntr_1' }];
    const sent = asked('openai/large', { tools, input: [says({ type: 'input_file', file_id: 'cfile_1' })] });
    expect((await app.send(responses, sent)).status).toBe(422);
    const stranger = { token: app.test.token({ tenant: 'another' }) };
    expect((await app.send(responses, sent, stranger)).status).toBe(404);
  });

  it.each([
    [{ background: true }, 'background'],
    [image('http://127.0.0.1/a.png'), 'input[0].content[0].image_url'],
    [{ input: 7 }, 'input'],
    [{ input: [] }, 'input'],
    [{ input: ['Hi'] }, 'input[0]'],
    [{ input: [{ role: 'user', content: [{ text: 'Hi' }] }] }, 'input[0].content[0].type'],
    [{ tools: [{ type: 'function' }] }, 'tools[0].name'],
    [{ max_output_tokens: '9' }, 'max_output_tokens'],
    [{ stream: 'true' }, 'stream'],
    [{ text: 'json' }, 'text'],
  ])('sends nothing that is malformed, or that could not be returned: %j', async (members, param) => {
    const app = await startForwardingApp();
    const fault = await faultOf(await app.send(responses, asked('openai/large', members)));
    expect(fault).toMatchObject({ status: 400, type: 'invalid_request', param });
    expect(app.openai.requests).toEqual([]);
  });

  it('reads no address and no id in what belongs to the tools of the client', async () => {
    const app = await startForwardingApp();
    app.openai.script(refusedByVendor);
    const schema = { properties: { url: { const: 'http://127.0.0.1/' } }, container: 'own' };
    const call = { type: 'custom_tool_call', call_id: 'call_1', name: 'find', input: '{"file_id":"file-1"}' };
    const search = { type: 'tool_search_call', arguments: { container: 'own' } };
    const tools = [{ type: 'function', name: 'find', parameters: schema }];
    const sent = asked('openai/large', { tools, input: [call, search], metadata: { file_id: 'file-1' } });
    expect((await app.send(responses, sent)).status).toBe(422);
  });
});
