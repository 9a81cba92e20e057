import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Answer, eventsAnswer, jsonAnswer } from '../answers/answer.ts';
import { chatBody, streamChat } from '../cohere/chat-answer.ts';
import { checkChat } from '../cohere/check-chat.ts';
import { cohereChatRequest } from '../cohere/cohere-chat-request.ts';
import { planChat } from '../cohere/plan-chat.ts';
import { DEFAULT_DIMENSIONS, embedText } from '../embeddings/embed-text.ts';
import { parseFields } from '../errors/parse-fields.ts';
import { spoilUsage } from '../faults/spoil-usage.ts';
import type { ProviderExchange } from '../http/exchange.ts';
import { requireModel } from '../models.ts';
import { count, oneOf } from '../schemas/members.ts';
import { sumTokens } from '../text/tokenizer.ts';
import { rerank } from './rerank.ts';

/** POST /v2/chat */
export function cohereChat(exchange: ProviderExchange): Answer {
  const request = parseFields(cohereChatRequest, exchange.json);
  checkChat(request);
  const chat = planChat(request, exchange);
  exchange.meter({ model: request.model, units: chat.billed, isIncremental: true });
  return request.stream === true ? eventsAnswer(streamChat(chat)) : jsonAnswer(chatBody(chat));
}

const embedRequest = z.strictObject({
  model: z.string(),
  texts: z.array(z.string()).min(1).max(96),
  input_type: oneOf('search_document search_query classification clustering'),
  embedding_types: z.array(z.literal('float')).length(1),
  output_dimension: z.literal([256, 512, 1024, 1536]).optional(),
  truncate: oneOf('NONE START END').optional(),
});

/** POST /v2/embed */
export function cohereEmbed({ fault, json, meter }: ProviderExchange): Answer {
  const { model, output_dimension = DEFAULT_DIMENSIONS, texts } = parseFields(embedRequest, json);
  requireModel(model, 'embeddings');
  const units = { input: sumTokens(texts) };
  meter({ model, units });
  const billed_units = spoilUsage({ input_tokens: units.input }, fault);
  return jsonAnswer({
    id: randomUUID(),
    texts,
    embeddings: { float: texts.map((text) => [...embedText(text, output_dimension)]) },
    meta: { api_version: { version: '2' }, billed_units },
    response_type: 'embeddings_by_type',
  });
}

const rerankRequest = z.strictObject({
  model: z.string(),
  query: z.string(),
  documents: z.array(z.string()).min(1),
  top_n: count(1).optional(),
  max_tokens_per_doc: count(1).optional(),
});

/** POST /v2/rerank: takes only texts, and returns none. */
export function cohereRerank(exchange: ProviderExchange): Answer {
  parseFields(rerankRequest, exchange.json);
  return rerank(exchange);
}
