import { z } from 'zod';
import { type Capability, capability } from './capability.ts';

/** The protocols of providers. Each has its dialect in the data plane. */
export const providerKind = z.enum(['openai-compatible', 'anthropic']);
export type ProviderKind = z.infer<typeof providerKind>;

/** What models of a kind can do; a model of another capability could never be asked there. */
export const KIND_CAPABILITIES: Readonly<Record<ProviderKind, readonly Capability[]>> = {
  'openai-compatible': capability.options,
  anthropic: ['chat'],
};
