import { canary } from '@patchbay/canaries';
import type { AppConfig } from '@patchbay/core';
import anthropic from '@patchbay/provider-anthropic';
import google from '@patchbay/provider-google';
import openai from '@patchbay/provider-openai';

/** A vendor, and the requests that its models support. */
export interface Vendor {
  readonly name: 'openai' | 'openai-responses' | 'anthropic' | 'google';
  readonly plugin: NonNullable<AppConfig['providers']>[string]['use'];
  readonly embeds: boolean;
  /** Options of the plugin besides key, address and models. */
  readonly options?: (model: string) => object;
}

export const vendors: readonly Vendor[] = [
  { name: 'openai', plugin: openai, embeds: true },
  { name: 'anthropic', plugin: anthropic, embeds: false },
  { name: 'google', plugin: google, embeds: true },
];

/** OpenAI by its other API. What is below the adapter is the same as for OpenAI. */
export const openaiResponses: Vendor = {
  name: 'openai-responses',
  plugin: openai,
  embeds: false,
  options: (model) => ({ responses: [model] }),
};

/** Sent to the upstreams, and nowhere else. */
export const vendorKey = canary('key-of-a-vendor');
