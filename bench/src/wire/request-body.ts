import { type AnswerPlan, MODEL, planText } from './answer-plan.ts';

/** Few, so that a request costs little. The cost does not change how a request is handled. */
const MAX_TOKENS = 100;

export interface RequestBodyOptions extends AnswerPlan {
  /** The exact length of the request's JSON. */
  requestBytes: number;
  model?: string;
}

/** A kilobyte in each direction. */
export const SMALL = { requestBytes: 1_000, answerBytes: 1_000, chunks: 0, intervalMs: 0 };

/** Creates a chat completion request of an exact length. @throws RangeError if that is too short */
export function requestBody({ requestBytes, model = MODEL, ...plan }: RequestBodyOptions): string {
  const streamed = plan.chunks > 0;
  const withText = (content: string) =>
    JSON.stringify({
      user: planText(plan),
      model,
      max_tokens: MAX_TOKENS,
      ...(streamed ? { stream: true, stream_options: { include_usage: true } } : {}),
      messages: [{ role: 'user', content }],
    });
  const missing = requestBytes - withText('').length;
  if (missing < 0) throw new RangeError(`a request has at least ${requestBytes - missing} bytes`);
  return withText(filler(missing));
}

/** Returns text like that of a prompt, without line ends, which JSON must escape. */
export function filler(length: number): string {
  const words = 'the quick brown fox jumps over the lazy dog and runs on through the wood ';
  return words.repeat(Math.ceil(length / words.length)).slice(0, length);
}
