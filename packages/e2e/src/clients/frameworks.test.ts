import { describe } from 'vitest';
import { useVendors } from '../gateway/use-vendors.ts';
import { connectAiSdkAnthropic, connectAiSdkCompatible, connectAiSdkOpenAI } from './ai-sdk-client.ts';
import { clientCases } from './client-cases.ts';
import { connectLangChainAnthropic, connectLangChainOpenAI } from './langchain-client.ts';

const vendors = await useVendors({ PATCHBAY_LIMITS_OFF: 'false' });

describe.each([
  ['@ai-sdk/openai', connectAiSdkOpenAI],
  ['@ai-sdk/openai-compatible', connectAiSdkCompatible],
  ['@ai-sdk/anthropic', connectAiSdkAnthropic],
  ['@langchain/openai', connectLangChainOpenAI],
  ['@langchain/anthropic', connectLangChainAnthropic],
])('%s', (_, connect) => {
  clientCases(vendors, connect);
});
