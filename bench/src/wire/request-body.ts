import { type AnswerPlan, MODEL, planText } from './answer-plan.ts';

/** Two of them set aside about a cent: what a request can cost has no influence on what it does. */
const MAX_TOKENS = 100;

export interface RequestBodyOptions extends AnswerPlan {
  /** Of the request's JSON, exactly. */
  requestBytes: number;
  model?: string;
}

/** A chat completion request of an exact length. @throws RangeError when that is too short */
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

/** Text like a prompt's: words, spaces, a line end now and then that JSON must escape is left out on purpose. */
export function filler(length: number): string {
  const words = 'the quick brown fox jumps over the lazy dog and runs on through the wood ';
  return words.repeat(Math.ceil(length / words.length)).slice(0, length);
}
