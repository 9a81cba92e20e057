import { z } from 'zod';

/** The protocols of providers. Each has its dialect in the data plane. */
export const providerKind = z.enum(['openai-compatible', 'anthropic']);
export type ProviderKind = z.infer<typeof providerKind>;
