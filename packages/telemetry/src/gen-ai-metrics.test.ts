import { expect, it } from 'vitest';
import { attributeNames, type Semconv } from './attribute-names.ts';
import { GenAiMetrics, type GenAiOperation } from './gen-ai-metrics.ts';

const CHAT: GenAiOperation = {
  operation: 'chat',
  provider: 'openai',
  model: 'gpt',
  origin: 'https://api.example',
  errorType: undefined,
  seconds: 0.03,
  secondsToFirstChunk: 0.01,
  tokens: { input: 20, output: 5, cacheRead: 8 },
};
const FAILED = {
  ...CHAT,
  errorType: 'upstream_timeout',
  seconds: 90,
  secondsToFirstChunk: undefined,
  tokens: {},
};
const EMBEDDED = { ...CHAT, operation: 'embeddings', secondsToFirstChunk: undefined, tokens: { input: 3 } };
const SPOKEN = { ...CHAT, operation: 'speech', secondsToFirstChunk: undefined, tokens: {} };

function metricsOf(semconv: Semconv, operations: readonly GenAiOperation[]) {
  const metrics = new GenAiMetrics(attributeNames(semconv));
  for (const operation of operations) metrics.record(operation);
  return Object.fromEntries(metrics.read().map((metric) => [metric.name, metric]));
}

it('measures chats, embeddings and other operations under the names of the main branch', () => {
  const read = metricsOf('genai-main', [CHAT, CHAT, FAILED, EMBEDDED, SPOKEN]);
  expect(Object.keys(read).sort()).toEqual([
    'gen_ai.client.embeddings.duration',
    'gen_ai.client.embeddings.operation.input_tokens',
    'gen_ai.client.inference.duration',
    'gen_ai.client.inference.operation.input_tokens',
    'gen_ai.client.inference.operation.output_tokens',
    'gen_ai.client.inference.time_to_first_chunk',
    'gen_ai.client.inference.usage.cache_read.input_tokens',
    'gen_ai.client.inference.usage.cache_write.input_tokens',
    'gen_ai.client.inference.usage.input_tokens',
    'gen_ai.client.inference.usage.output_tokens',
    'gen_ai.client.inference.usage.reasoning.output_tokens',
    'gen_ai.client.operation.duration',
  ]);
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt',
    'server.address': 'api.example',
    'server.port': 443,
  };
  const duration = read['gen_ai.client.inference.duration'];
  expect(duration).toMatchObject({
    unit: 's',
    points: [
      { attributes, count: 2, sum: 0.06 },
      { attributes: { ...attributes, 'error.type': 'upstream_timeout' }, count: 1, sum: 90 },
    ],
  });
  const [fast, slow] = duration?.type === 'histogram' ? duration.points : [];
  expect(fast?.bounds).toHaveLength(14);
  expect(fast?.bucketCounts).toEqual([0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  expect(slow?.bucketCounts.at(-1)).toBe(1);
  expect(read['gen_ai.client.inference.usage.cache_read.input_tokens']).toMatchObject({
    points: [{ attributes: { ...attributes, 'gen_ai.token.modality': 'unknown' }, value: 16 }],
  });
});

it('measures durations and tokens under the names of 1.36', () => {
  const read = metricsOf('genai-1.36', [CHAT, EMBEDDED]);
  expect(Object.keys(read).sort()).toEqual(['gen_ai.client.operation.duration', 'gen_ai.client.token.usage']);
  expect(read['gen_ai.client.token.usage']).toMatchObject({
    unit: '{token}',
    points: [
      { attributes: { 'gen_ai.system': 'openai', 'gen_ai.token.type': 'input' }, sum: 20 },
      { attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.token.type': 'output' }, sum: 5 },
      { attributes: { 'gen_ai.operation.name': 'embeddings', 'gen_ai.token.type': 'input' }, sum: 3 },
    ],
  });
});
