import { chatCompletion, chatCompletionChunk } from '@model-gateway/shared';
import { badGateway } from './provider-errors.ts';

/** A provider's completion or chunk, parsed. */
export interface ChatAnswer {
  choices: Record<string, unknown>[];
  usage?: unknown;
  [field: string]: unknown;
}

/** @throws GatewayError 502 when the text is no chat completion */
export function parseCompletion(text: string): ChatAnswer {
  return parse(text, chatCompletion);
}

/** @throws GatewayError 502 when the data of an event is no chunk of a chat completion */
export function parseChunk(text: string): ChatAnswer {
  return parse(text, chatCompletionChunk);
}

/**
 * The chunk as the client gets it: under the gateway's model id, and without the usage that only the gateway
 * asked for.
 * @returns undefined when nothing of it is for the client
 */
export function visibleChunk(
  chunk: ChatAnswer,
  modelId: string,
  includeUsage: boolean,
): ChatAnswer | undefined {
  if (includeUsage) return { ...chunk, model: modelId };
  const { usage, ...visible } = chunk;
  const isUsageChunk = chunk.choices.length === 0 && usage !== undefined && usage !== null;
  return isUsageChunk ? undefined : { ...visible, choices: chunk.choices, model: modelId };
}

function parse(text: string, schema: typeof chatCompletion | typeof chatCompletionChunk): ChatAnswer {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw badGateway(cause);
  }
  const result = schema.safeParse(value);
  if (!result.success) throw badGateway(new Error('the provider answered JSON that is no chat completion'));
  return result.data;
}
