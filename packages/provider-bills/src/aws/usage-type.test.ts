import { expect, it } from 'vitest';
import { parseUsageType } from './usage-type.ts';

it.each([
  ['USE1-Claude4Sonnet-input-tokens', 'Claude4Sonnet', 'inputTokens', null],
  ['USE1-Claude4.6Sonnet-cache-read-input-token-count', 'Claude4.6Sonnet', 'cachedInputTokens', null],
  ['EUC1-NovaPro-cache-write-input-token-count', 'NovaPro', 'cacheWriteTokens', null],
  [
    'USE1-Claude4Sonnet-cache-read-input-token-count-cross-region-global',
    'Claude4Sonnet',
    'cachedInputTokens',
    null,
  ],
  ['USE1-Nova2.0Lite-input-tokens-flex', 'Nova2.0Lite', 'inputTokens', 'flex'],
  ['USE1-Nova2.0Lite-output-tokens-priority', 'Nova2.0Lite', 'outputTokens', 'priority'],
  [
    'USE1-openai.gpt-oss-120b-mantle-output-tokens-standard',
    'openai.gpt-oss-120b',
    'outputTokens',
    'standard',
  ],
  ['NovaPro-input-tokens-batch', 'NovaPro', 'inputTokens', 'batch'],
  ['USE1-MP:USE1_CacheReadInputTokenCount-Units', null, 'cachedInputTokens', null],
  ['USE1-MP:USE1_OutputTokenCount_Batch-Units', null, 'outputTokens', 'batch'],
  ['USE1-NovaCanvas-T2I-1024-Standard', null, null, null],
])('%s is understood', (usageType, model, unit, serviceTier) => {
  expect(parseUsageType(usageType)).toEqual({ model, unit, serviceTier });
});
