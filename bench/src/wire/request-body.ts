import { type AnswerPlan, MODEL, planText } from './answer-plan.ts';

/** So few that the request costs little. What a request may cost does not change how it is handled. */
const MAX_TOKENS = 100;

export interface RequestBodyOptions extends AnswerPlan {
  /** The exact length of the request's JSON. */
  requestBytes: number;
  model?: string;
}

/** Makes a chat completion request of an exact length. @throws RangeError when that is too short */
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

/** Text like that of a prompt. It has no line ends on purpose, because JSON must escape them. */
export function filler(length: number): string {
  const words = 'the quick brown fox jumps over the lazy dog and runs on through the wood ';
  return words.repeat(Math.ceil(length / words.length)).slice(0, length);
}
