import OpenAI from 'openai';
import OpenAI6 from 'openai-6';
import { describe } from 'vitest';
import { useVendors } from '../gateway/use-vendors.ts';
import { connectAnthropic } from './anthropic-client.ts';
import { clientCases, steadyModels } from './client-cases.ts';
import { connectSuite } from './connect-suite.ts';
import { connectOpenAI } from './openai-client.ts';
import { connectResponses } from './openai-responses-client.ts';

const vendors = await useVendors({ limitsKeys: true, aliases: steadyModels });

describe.each([
  ['openai 7', connectOpenAI(OpenAI)],
  ['openai 7 by the Responses API', connectResponses(OpenAI)],
  // It has all that the cases ask for, under the same names.
  ['openai 6', connectOpenAI(OpenAI6 as unknown as typeof OpenAI)],
  ['@anthropic-ai/sdk', connectAnthropic],
])('%s', (_, connect) => {
  clientCases(vendors, connect);
});

connectSuite(vendors);
