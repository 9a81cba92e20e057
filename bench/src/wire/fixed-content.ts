import { TIME_MARK } from './answer-plan.ts';
import { eventWithTime } from './event-with-time.ts';

export const GEMINI_MODEL = { id: 'bench/gemini', upstream: 'gemini-3-bench' };

const USAGE = { promptTokenCount: 200, candidatesTokenCount: 20, totalTokenCount: 220 };
const ABOUT = { modelVersion: GEMINI_MODEL.upstream, responseId: 'bench' };

const chunk = (candidate: object) =>
  `data: ${JSON.stringify({ candidates: [candidate], usageMetadata: USAGE, ...ABOUT })}\r\n\r\n`;

/** Makes a chunk of streamGenerateContent that carries the time at which it is sent. */
export const contentAt = eventWithTime((time) =>
  chunk({ index: 0, content: { role: 'model', parts: [{ text: `${TIME_MARK}${time}${TIME_MARK} words` }] } }),
);

/** The chunk with the reason for the end, after which nothing comes. */
export const CONTENT_END = chunk({
  index: 0,
  content: { role: 'model', parts: [{ text: '' }] },
  finishReason: 'STOP',
});
