import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Answer, jsonAnswer } from '../answers/answer.ts';
import type { SseEvent } from '../answers/sse-event.ts';
import { embedText } from '../embeddings/embed-text.ts';
import { parseFields } from '../errors/parse-fields.ts';
import { spoilUsage } from '../faults/spoil-usage.ts';
import type { ProviderExchange } from '../http/exchange.ts';
import { drawImage } from '../images/draw-image.ts';
import { messageBody, streamMessage } from '../messages/message-answer.ts';
import type { Message } from '../messages/plan-message.ts';
import { count, oneOf } from '../schemas/members.ts';
import { countTokens, sumTokens } from '../text/tokenizer.ts';

/** Converse's stop reason if a guardrail wrote the answer. InvokeModel reports that beside the answer. */
const INTERVENED = 'guardrail_intervened';
const ACTION = { 'amazon-bedrock-guardrailAction': 'INTERVENED' };

export function invokedBody(message: Message): object {
  const body = messageBody(withoutGuardrail(message));
  return message.stopReason === INTERVENED ? { ...body, ...ACTION } : body;
}

export function* invokedEvents(message: Message, pingsOnly: boolean): Generator<SseEvent> {
  for (const event of streamMessage(withoutGuardrail(message), pingsOnly)) {
    const hasAction = event.event === 'message_stop' && message.stopReason === INTERVENED;
    yield hasAction ? { ...event, data: JSON.stringify({ ...JSON.parse(event.data), ...ACTION }) } : event;
  }
}

function withoutGuardrail(message: Message): Message {
  return message.stopReason === INTERVENED ? { ...message, stopReason: 'end_turn' } : message;
}

const titanRequest = z.strictObject({
  inputText: z.string().min(1),
  dimensions: z.literal([256, 512, 1024]).optional(),
  normalize: z.boolean().optional(),
  embeddingTypes: z.array(oneOf('float binary')).optional(),
});

/** Titan Text Embeddings V2: one text, with its token count in the body. */
export function invokeTitan({ fault, json }: ProviderExchange): Answer {
  const { dimensions = 1_024, inputText } = parseFields(titanRequest, json);
  const embedding = [...embedText(inputText, dimensions)];
  const counted = spoilUsage({ inputTextTokenCount: countTokens(inputText) }, fault);
  return jsonAnswer({ embedding, embeddingsByType: { float: embedding }, ...counted });
}

const cohereRequest = z.strictObject({
  texts: z.array(z.string()).min(1).max(96),
  input_type: oneOf('search_document search_query classification clustering'),
  embedding_types: z.array(z.literal('float')).length(1),
  output_dimension: z.literal([256, 512, 1024, 1536]).optional(),
  truncate: oneOf('NONE LEFT RIGHT').optional(),
});

/** Cohere Embed v4: its token count is only in a header. */
export function invokeCohereEmbed({ fault, json }: ProviderExchange): Answer {
  const { output_dimension: dimensions = 1_536, texts } = parseFields(cohereRequest, json);
  const answer = {
    id: randomUUID(),
    texts,
    embeddings: { float: texts.map((text) => [...embedText(text, dimensions)]) },
    response_type: 'embeddings_by_type',
  };
  const counted = spoilUsage({ tokens: sumTokens(texts) }, fault);
  const headers = counted && { 'x-amzn-bedrock-input-token-count': String(counted.tokens) };
  return jsonAnswer(answer, headers);
}

const side = count(320, 4_096).multipleOf(16).optional();
const canvasRequest = z.strictObject({
  taskType: z.literal('TEXT_IMAGE'),
  textToImageParams: z.strictObject({ text: z.string().min(1).max(1_024) }),
  imageGenerationConfig: z
    .strictObject({
      numberOfImages: count(1, 5).optional(),
      width: side,
      height: side,
      quality: oneOf('standard premium').optional(),
    })
    .optional(),
});

/** Nova Canvas: pictures in base64, without usage. */
export function invokeCanvas({ json }: ProviderExchange): Answer {
  const { imageGenerationConfig, textToImageParams } = parseFields(canvasRequest, json);
  const images = Array.from({ length: imageGenerationConfig?.numberOfImages ?? 1 }, (_, index) =>
    drawImage(textToImageParams.text, index).toString('base64'),
  );
  return jsonAnswer({ images, error: null });
}
