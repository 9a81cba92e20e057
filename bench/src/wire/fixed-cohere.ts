import { TIME_MARK } from './answer-plan.ts';
import { eventWithTime } from './event-with-time.ts';

/** The model at the provider of Cohere's second version. */
export const COHERE_MODEL = { id: 'bench/cohere', upstream: 'command-bench' };

const event = (type: string, fields: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

const content = (fields: object) => ({ index: 0, delta: { message: { content: fields } } });

export const COHERE_START =
  event('message-start', { id: 'bench', delta: { message: { role: 'assistant', content: [] } } }) +
  event('content-start', content({ type: 'text', text: '' }));

export const cohereDeltaAt = eventWithTime((time) =>
  event('content-delta', content({ text: `${TIME_MARK}${time}${TIME_MARK} words` })),
);

const TOKENS = { input_tokens: 200, output_tokens: 20 };

export const COHERE_END =
  event('content-end', { index: 0 }) +
  event('message-end', {
    delta: { finish_reason: 'COMPLETE', usage: { billed_units: TOKENS, tokens: TOKENS } },
  }) +
  'data: [DONE]\n\n';
