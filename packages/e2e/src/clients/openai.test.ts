import OpenAI from 'openai';
import OpenAI6 from 'openai-6';
import { describe } from 'vitest';
import { useVendors } from '../gateway/use-vendors.ts';
import { clientCases } from './client-cases.ts';
import { connectOpenAI } from './openai-client.ts';

const vendors = await useVendors({ PATCHBAY_LIMITS_OFF: 'false' });

describe('openai 7', () => {
  clientCases(vendors, connectOpenAI(OpenAI));
});
// It has all that the cases ask for, under the same names.
describe('openai 6', () => {
  clientCases(vendors, connectOpenAI(OpenAI6 as unknown as typeof OpenAI));
});
