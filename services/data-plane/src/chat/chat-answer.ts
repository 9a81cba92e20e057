import { badGateway } from '@model-gateway/shared/errors';
import { notAsExpected } from '../errors/provider-errors.ts';

/** A provider's completion, or a chunk of one: what the gateway reads of it. All else passes as it came. */
export interface ChatAnswer {
  choices: Record<string, unknown>[];
  usage?: unknown;
  [field: string]: unknown;
}

/** @throws GatewayError 502 when the value is no chat completion, nor a chunk of one */
function chatAnswer(value: unknown): ChatAnswer {
  if (isChatAnswer(value)) return value;
  throw notAsExpected(new Error('it is no chat completion'));
}

/** As `chatAnswer`, of an answer that is not streamed: without a choice it has answered nothing. */
export function chatCompletion(value: unknown): ChatAnswer {
  const completion = chatAnswer(value);
  if (completion.choices.length > 0) return completion;
  throw notAsExpected(new Error('it has no choices'));
}

/** The data of one event. @throws GatewayError 502 when it is no chunk of a chat completion */
export function parseChatChunk(data: string): ChatAnswer {
  try {
    return chatAnswer(JSON.parse(data));
  } catch (cause) {
    throw badGateway(cause);
  }
}

/** Checked by hand: this runs for every chunk of every stream, and must keep the order of the fields. */
function isChatAnswer(value: unknown): value is ChatAnswer {
  return (
    typeof value === 'object' &&
    value !== null &&
    'choices' in value &&
    Array.isArray(value.choices) &&
    // A failure that some providers send as a success.
    !('error' in value && typeof value.error === 'object' && value.error !== null) &&
    value.choices.every((choice) => typeof choice === 'object' && choice !== null)
  );
}
