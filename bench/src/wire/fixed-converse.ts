import { TIME_MARK } from './answer-plan.ts';
import { awsMessage } from './aws-message.ts';
import { eventWithTime } from './event-with-time.ts';

/** The model at the runtime that is asked by ConverseStream. */
export const CONVERSE_MODEL = { id: 'bench/converse', upstream: 'amazon.bench-v1:0' };

export const CONVERSE_START = awsMessage('messageStart', JSON.stringify({ role: 'assistant' }));

const delta = eventWithTime((time) =>
  JSON.stringify({ contentBlockIndex: 0, delta: { text: `${TIME_MARK}${time}${TIME_MARK} words` } }),
);

export const converseDeltaAt = (timeUs: number) => awsMessage('contentBlockDelta', delta(timeUs));

export const CONVERSE_END =
  awsMessage('contentBlockStop', JSON.stringify({ contentBlockIndex: 0 })) +
  awsMessage('messageStop', JSON.stringify({ stopReason: 'end_turn' })) +
  awsMessage(
    'metadata',
    JSON.stringify({
      usage: { inputTokens: 200, outputTokens: 20, totalTokens: 220 },
      metrics: { latencyMs: 1 },
    }),
  );
