import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Answer, eventsAnswer, jsonAnswer } from '../answers/answer.ts';
import { chatBody, streamChat } from '../cohere/chat-answer.ts';
import { cohereChatRequest } from '../cohere/chat-request.ts';
import { checkChat } from '../cohere/check-chat.ts';
import { planChat } from '../cohere/plan-chat.ts';
import { DEFAULT_DIMENSIONS, embedText } from '../embeddings/embed-text.ts';
import { parseFields } from '../errors/parse-fields.ts';
import { spoilUsage } from '../faults/spoil-usage.ts';
import type { ProviderExchange } from '../http/exchange.ts';
import { requireModel } from '../models.ts';
import { loadTokenizer } from '../text/tokenizer.ts';
import { rerank } from './rerank.ts';

/** POST /v2/chat */
export async function cohereChat(exchange: ProviderExchange): Promise<Answer> {
  const { credential, fault, json, signal, tokenDelayMs } = exchange;
  const request = parseFields(cohereChatRequest, json);
  checkChat(request);
  const tokenizer = await loadTokenizer();
  const chat = planChat(request, { credential, fault, tokenizer });
  if (request.stream !== true) return jsonAnswer(chatBody(chat));
  return eventsAnswer(streamChat(chat, { signal, tokenDelayMs, tokenizer }));
}

const embedRequest = z.strictObject({
  model: z.string(),
  texts: z.array(z.string()).min(1).max(96),
  input_type: z.enum(['search_document', 'search_query', 'classification', 'clustering']),
  embedding_types: z.array(z.literal('float')).length(1),
  output_dimension: z.literal([256, 512, 1024, 1536]).optional(),
  truncate: z.enum(['NONE', 'START', 'END']).optional(),
  simulate: z.unknown().optional(),
});

/** POST /v2/embed */
export async function cohereEmbed({ fault, json }: ProviderExchange): Promise<Answer> {
  const request = parseFields(embedRequest, json);
  requireModel(request.model, 'embeddings');
  const tokenizer = await loadTokenizer();
  const dimensions = request.output_dimension ?? DEFAULT_DIMENSIONS;
  const tokens = request.texts.reduce((sum, text) => sum + tokenizer.count(text), 0);
  const billedUnits = spoilUsage({ input_tokens: tokens }, fault);
  return jsonAnswer({
    id: randomUUID(),
    texts: request.texts,
    embeddings: { float: request.texts.map((text) => [...embedText(text, dimensions)]) },
    meta: {
      api_version: { version: '2' },
      ...(billedUnits === undefined ? {} : { billed_units: billedUnits }),
    },
    response_type: 'embeddings_by_type',
  });
}

const rerankRequest = z.strictObject({
  model: z.string(),
  query: z.string(),
  documents: z.array(z.string()).min(1),
  top_n: z.int().min(1).optional(),
  max_tokens_per_doc: z.int().min(1).optional(),
  simulate: z.unknown().optional(),
});

/** POST /v2/rerank: it takes texts alone, and gives none back. */
export function cohereRerank(exchange: ProviderExchange): Promise<Answer> {
  parseFields(rerankRequest, exchange.json);
  return rerank(exchange);
}
