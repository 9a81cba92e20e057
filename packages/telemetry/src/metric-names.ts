import type { Semconv } from './attribute-names.ts';

/** The table of metrics: what the two conventions measure. Left out: the convention lacks it. */
export interface MetricNames {
  /** Seconds, by operation; `other`: those that are not listed. */
  duration: Readonly<Record<string, string>> & { other: string };
  /** Seconds until the first chunk of a streamed chat. */
  timeToFirstChunk?: string;
  /** Tokens of each operation, by operation. */
  inputTokens: Readonly<Record<string, string>>;
  outputTokens: Readonly<Record<string, string>>;
  /** True if input and output share one metric, and an attribute tells them apart. */
  hasTokenType: boolean;
  /** Sums of the tokens of chats, by kind. */
  tokenSums?: Readonly<Record<TokenKind, string>>;
}

export type TokenKind = 'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'reasoning';

const OLDER_TOKENS = { chat: 'gen_ai.client.token.usage', embeddings: 'gen_ai.client.token.usage' };

export const METRIC_NAMES: Readonly<Record<Semconv, MetricNames>> = {
  'genai-main': {
    duration: {
      chat: 'gen_ai.client.inference.duration',
      embeddings: 'gen_ai.client.embeddings.duration',
      other: 'gen_ai.client.operation.duration',
    },
    timeToFirstChunk: 'gen_ai.client.inference.time_to_first_chunk',
    inputTokens: {
      chat: 'gen_ai.client.inference.operation.input_tokens',
      embeddings: 'gen_ai.client.embeddings.operation.input_tokens',
    },
    outputTokens: { chat: 'gen_ai.client.inference.operation.output_tokens' },
    hasTokenType: false,
    tokenSums: {
      input: 'gen_ai.client.inference.usage.input_tokens',
      output: 'gen_ai.client.inference.usage.output_tokens',
      cacheRead: 'gen_ai.client.inference.usage.cache_read.input_tokens',
      cacheWrite: 'gen_ai.client.inference.usage.cache_write.input_tokens',
      reasoning: 'gen_ai.client.inference.usage.reasoning.output_tokens',
    },
  },
  'genai-1.36': {
    duration: { other: 'gen_ai.client.operation.duration' },
    inputTokens: OLDER_TOKENS,
    outputTokens: { chat: 'gen_ai.client.token.usage' },
    hasTokenType: true,
  },
};
