import { describe, expect, it } from 'vitest';
import { countTokens } from './count-tokens.ts';
import { parseCountTokensRequest } from './parse-request.ts';

describe('countTokens', () => {
  const messages = [{ role: 'user', content: 'Hello, world' }];
  const count = (members: object) =>
    countTokens(parseCountTokensRequest({ model: 'openai/gpt-5', messages, ...members }));

  it('is the estimate of the gateway, and says so', () => {
    const { body, warnings } = count({});
    expect(body.input_tokens).toBeGreaterThanOrEqual(3);
    expect(Object.keys(body)).toEqual(['input_tokens']);
    expect(warnings).toEqual(['the token count is an estimate']);
  });

  it('counts the system prompt and the tools', () => {
    const [plain, more] = [count({}).body.input_tokens, count({ system: 'Be brief, please.' }).body.input_tokens];
    expect(more).toBeGreaterThan(plain);
    const tools = [{ name: 'weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } }];
    expect(count({ tools }).body.input_tokens).toBeGreaterThan(plain);
  });
});
