import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Answer, jsonAnswer } from '../answers/answer.ts';
import { embedText } from '../embeddings/embed-text.ts';
import { parseFields } from '../errors/parse-fields.ts';
import { spoilUsage } from '../faults/spoil-usage.ts';
import type { ProviderExchange } from '../http/exchange.ts';
import { loadTokenizer } from '../text/tokenizer.ts';
import { countedHeaders } from './input-token-count.ts';

const titanRequest = z.strictObject({
  inputText: z.string().min(1),
  dimensions: z.literal([256, 512, 1024]).optional(),
  normalize: z.boolean().optional(),
  embeddingTypes: z.array(z.enum(['float', 'binary'])).optional(),
  simulate: z.unknown().optional(),
});

/** Titan Text Embeddings V2: one text, and its tokens in the body. */
export async function invokeTitan({ fault, json }: ProviderExchange): Promise<Answer> {
  const { dimensions = 1_024, inputText } = parseFields(titanRequest, json);
  const embedding = [...embedText(inputText, dimensions)];
  const counted = spoilUsage({ inputTextTokenCount: (await loadTokenizer()).count(inputText) }, fault);
  return jsonAnswer({ embedding, embeddingsByType: { float: embedding }, ...counted });
}

const cohereRequest = z.strictObject({
  texts: z.array(z.string()).min(1).max(96),
  input_type: z.enum(['search_document', 'search_query', 'classification', 'clustering']),
  embedding_types: z.array(z.literal('float')).length(1),
  output_dimension: z.literal([256, 512, 1024, 1536]).optional(),
  truncate: z.enum(['NONE', 'LEFT', 'RIGHT']).optional(),
  simulate: z.unknown().optional(),
});

/** Cohere Embed v4: its tokens are in a header alone. */
export async function invokeCohereEmbed({ fault, json }: ProviderExchange): Promise<Answer> {
  const { output_dimension: dimensions = 1_536, texts } = parseFields(cohereRequest, json);
  const answer = {
    id: randomUUID(),
    texts,
    embeddings: { float: texts.map((text) => [...embedText(text, dimensions)]) },
    response_type: 'embeddings_by_type',
  };
  return jsonAnswer(answer, await countedHeaders(texts, fault));
}
