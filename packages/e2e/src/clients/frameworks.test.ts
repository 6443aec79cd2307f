import { describe } from 'vitest';
import { useVendors } from '../gateway/use-vendors.ts';
import {
  connectAiSdkAnthropic,
  connectAiSdkCompatible,
  connectAiSdkOpenAI,
  connectAiSdkOpenAIChat,
} from './ai-sdk-client.ts';
import { clientCases, steadyModels } from './client-cases.ts';
import { connectLangChainAnthropic, connectLangChainOpenAI } from './langchain-client.ts';
import { connectOpenAIAgents } from './openai-agents-client.ts';
import { reasoningCases } from './reasoning-cases.ts';
import { responseCases } from './response-cases.ts';

const vendors = await useVendors({ limitsKeys: true, aliases: steadyModels });

describe.each([
  ['@ai-sdk/openai', connectAiSdkOpenAI],
  ['@ai-sdk/openai by its older API', connectAiSdkOpenAIChat],
  ['@ai-sdk/openai-compatible', connectAiSdkCompatible],
  ['@ai-sdk/anthropic', connectAiSdkAnthropic],
  ['@langchain/openai', connectLangChainOpenAI],
  ['@langchain/anthropic', connectLangChainAnthropic],
  ['@openai/agents', connectOpenAIAgents],
])('%s', (_, connect) => {
  clientCases(vendors, connect);
});

responseCases(vendors);
reasoningCases(vendors);
