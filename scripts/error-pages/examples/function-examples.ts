import deno from '@patchbay/executor-deno';
import type { Examples } from '../example.ts';
import { type ExampleServer, startExampleServer } from '../example-server.ts';
import { codeOf, echo, nameless } from './sample-functions.ts';
import { whenRunning } from './when-running.ts';

const missing = '01m7yxk8c0ej6r3s2zthddz4v4';

/** Examples of functions that are missing, invalid, or fail. */
export async function functionExamples(server: ExampleServer): Promise<Examples> {
  const { refused } = server;
  const save = async (body: object): Promise<string> => String((await server.done('POST', '/functions', body))['id']);
  const run = async (code: string, body: object = {}) => {
    const id = await save({ ...codeOf('Example', code), ...body });
    return await refused('POST', `/functions/${id}/execute`, {
      body: { input: {} },
      asked: `\`POST /functions/{id}/execute\` of the code \`${code}\``,
    });
  };
  const id = await save(echo);
  const executed = await server.done('POST', `/functions/${id}/execute`, { input: { text: 'Hello' } });
  await save({ ...echo, name: 'Summarize Text' });
  await save({ ...echo, name: 'Summarize text' });

  return {
    function_not_found: await refused('POST', '/call/summarise', { body: { input: { text: 'One. Two.' } } }),
    version_not_found: await refused('GET', `/functions/${id}/versions/7`),
    settings_not_found: await refused('GET', `/functions/${id}/settings`),
    observed_name_not_found: await refused('POST', '/observed-names/observed_01m7ywmcfpf69vwvph88jyb0cr/promote'),
    experiment_not_found: await refused('GET', `/functions/${id}/experiment`),
    schedule_not_found: await refused('DELETE', `/functions/${id}/schedules/schedule_${missing}`),
    example_not_found: await refused('DELETE', `/functions/${id}/dataset/case-7`),
    call_not_found: await refused('GET', `/calls/call_${missing}`),
    feedback_not_found: await refused('GET', `/feedback/feedback_${missing}`),
    feedback_target_not_found: await refused('POST', '/feedback', {
      body: { target: 'call_7zzzzzzzzzzzzzzzzzzzzzzzzz', value: 1 },
    }),
    feedback_expired: await refused('POST', '/feedback', {
      body: { target: 'call_01k0d9v0pe4x2h5n6q7r8s9t0v', value: 1 },
    }),
    execution_not_found: await refused('GET', `/executions/execution_${missing}`),
    ambiguous_function_name: await refused('POST', '/call/summarizeText', { body: { input: { text: 'One. Two.' } } }),
    conflict: await refused('DELETE', `/executions/${String(executed['id'])}`, {
      asked: '`DELETE /executions/{id}` of an execution that has ended',
    }),
    execution_cancelled: await cancelled(
      server,
      await save(codeOf('Wait', 'export default () => new Promise((resolve) => setTimeout(resolve, 9_000))')),
    ),
    schema_invalid: await refused('POST', '/functions', {
      body: { ...echo, input: { type: 'object', properties: { to: { $ref: '#/$defs/person' } } } },
    }),
    code_invalid: await refused('POST', '/functions', { body: { ...echo, code: 'export default (input) => {' } }),
    input_invalid: await refused('POST', `/functions/${id}/execute`, { body: { input: { text: 7, lang: 'en' } } }),
    function_failed: await run('export default () => { throw new Error("no such city: Atlantis") }'),
    function_timeout: await tooSlow(),
    function_output_invalid: await run('export default () => ({ total: "12" })', {
      output: { type: 'object', properties: { total: { type: 'number' } } },
    }),
    function_resource_exceeded: await run('export default () => ({ text: "x".repeat(3_000_000) })'),
    executor_unavailable: await withoutExecutor(),
  };
}

async function cancelled(server: ExampleServer, id: string) {
  const waiting = server.refused('POST', `/functions/${id}/execute`, {
    body: { input: {} },
    asked: '`POST /functions/{id}/execute`, while another request sends `DELETE /executions/{id}`',
  });
  await server.done('DELETE', `/executions/${await whenRunning(server)}`);
  return await waiting;
}

async function withoutExecutor() {
  const server = await startExampleServer({});
  try {
    return await server.refused('POST', '/functions/test', { body: { function: nameless, input: { text: 'Hello' } } });
  } finally {
    await server.close();
  }
}

async function tooSlow() {
  const executor = { use: deno, with: { spares: 1 } };
  const server = await startExampleServer({ executor, executions: { timeoutMs: 500 } });
  const code = 'export default () => new Promise((resolve) => setTimeout(resolve, 9_000))';
  try {
    const { id } = await server.done('POST', '/functions', codeOf('Slow', code));
    return await server.refused('POST', `/functions/${String(id)}/execute`, {
      body: { input: {} },
      asked: `\`POST /functions/{id}/execute\` of the code \`${code}\`, with \`executions.timeoutMs: 500\``,
    });
  } finally {
    await server.close();
  }
}
