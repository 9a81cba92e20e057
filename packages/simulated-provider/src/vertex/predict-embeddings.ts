import { z } from 'zod';
import { embedText } from '../embeddings/embed-text.ts';
import { ProviderError, refuse } from '../errors/provider-error.ts';
import { count } from '../schemas/members.ts';

/** One model embeds a content as newer ones do, the other predicts for instances. */
const CONTENT_MODEL = 'gemini-embedding-2-sim';
const INSTANCE_MODEL = 'sim-text-embedding';
const DEFAULT_DIMENSIONS = 768;
const MAX_INSTANCES = 250;

const dimensions = count(1, 3_072).optional();
const text = z.string().min(1);
const prediction = z.strictObject({
  instances: z.array(z.strictObject({ content: text, task_type: z.string().optional() })).min(1),
  parameters: z
    .strictObject({ autoTruncate: z.boolean().optional(), outputDimensionality: dimensions })
    .optional(),
});
const embedding = z.strictObject({
  content: z.strictObject({ parts: z.array(z.strictObject({ text })).min(1) }),
  autoTruncate: z.boolean().optional(),
  outputDimensionality: dimensions,
});

/** `predict`: a vector for each instance, with its token count. @throws ProviderError */
export function predictEmbeddings(json: unknown, model: string): object {
  if (model !== INSTANCE_MODEL) throw notFound(model);
  const { instances, parameters } = parsed(prediction, json);
  if (instances.length > MAX_INSTANCES)
    refuse(`${instances.length} instance(s) is more than ${MAX_INSTANCES}.`);
  return {
    predictions: instances.map(({ content }) => ({
      embeddings: {
        values: [...embedText(content, parameters?.outputDimensionality ?? DEFAULT_DIMENSIONS)],
        statistics: { truncated: false, token_count: wordsIn(content) },
      },
    })),
  };
}

/** `embedContent`: one vector. @throws ProviderError */
export function embedContent(json: unknown, model: string): object {
  if (model !== CONTENT_MODEL) throw notFound(model);
  const { content, outputDimensionality } = parsed(embedding, json);
  const all = content.parts.map((part) => part.text).join('\n');
  return {
    embedding: { values: [...embedText(all, outputDimensionality ?? DEFAULT_DIMENSIONS)] },
    usageMetadata: { promptTokenCount: wordsIn(all), totalTokenCount: wordsIn(all) },
    truncated: false,
  };
}

function parsed<Value>(schema: z.ZodType<Value>, json: unknown): Value {
  const { data, error } = schema.safeParse(json);
  return data ?? refuse(`Invalid JSON payload received. ${error?.issues[0]?.message}`);
}

function notFound(model: string): ProviderError {
  return new ProviderError(404, `Publisher Model \`publishers/google/models/${model}\` was not found.`);
}

function wordsIn(content: string): number {
  return content.split(/\s+/).length;
}
