import type { ErrorCode } from '@patchbay/core';
import type { Example, Examples } from '../example.ts';
import type { ExampleServer } from '../example-server.ts';
import { codeOf } from './sample-functions.ts';

const asked: Partial<Record<ErrorCode, string>> = {
  fetch_refused: 'fetch("https://api.weather.example/today")',
  fetch_too_large: 'fetch(origin + "/large")',
  fetch_timeout: 'fetch(origin + "/never")',
  fetch_failed: 'fetch(closed)',
  tool_failed: 'tools.docs.read({ page: "/moved" })',
};

/**
 * Errors of host calls, as code catches them. The functions that may reach `origin` are called `granted`.
 *
 * @param closed An origin at which nothing listens.
 */
export async function codeExamples(server: ExampleServer, origin: string, closed: string): Promise<Examples> {
  const examples: [string, Example][] = [];
  const caught = 'return { name: error.name, code: error.code, message: error.message }';
  for (const [code, call] of Object.entries(asked)) {
    const source = `export default async ({ origin, closed }, { fetch, tools }) => {\n  try { await ${call} } catch (error) { ${caught} }\n}`;
    const output = await outputOf(server, codeOf('granted', source), { origin, closed });
    examples.push([code, { asked: `\`await ${call}\` in the code of a function`, answer: output }]);
  }
  const recursive = `export default async (_, { functions }) => {\n  try { return await functions.call("deeper", {}) } catch (error) { ${caught} }\n}`;
  const answer = await outputOf(server, codeOf('deeper', recursive), {});
  examples.push([
    'call_depth_exceeded',
    { asked: '`await functions.call("deeper", {})` in the code of `deeper` itself', answer },
  ]);
  return Object.fromEntries(examples);
}

async function outputOf(server: ExampleServer, body: object, input: object): Promise<object> {
  const { id } = await server.done('POST', '/functions', body);
  const { output } = await server.done('POST', `/functions/${String(id)}/execute`, { input });
  await server.done('DELETE', `/functions/${String(id)}`);
  return output as object;
}
