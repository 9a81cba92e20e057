import { type AnswerPlan, planText } from './answer-plan.ts';
import { filler } from './request-body.ts';

/** So few that the request costs little. */
const MAX_TOKENS = 100;

export interface StreamedRequest extends AnswerPlan {
  /** About the length of the request's JSON. */
  requestBytes: number;
  model: string;
  isMessages: boolean;
}

/**
 * A request for a stream, in Messages or in Chat Completions. Its plan is the instruction of the system,
 * which is there in both, however a gateway translates it.
 */
export function streamedRequest({ requestBytes, model, isMessages, ...plan }: StreamedRequest): string {
  const question = { role: 'user', content: filler(requestBytes) };
  const shared = { model, max_tokens: MAX_TOKENS, stream: true };
  if (isMessages) return JSON.stringify({ ...shared, system: planText(plan), messages: [question] });
  const messages = [{ role: 'system', content: planText(plan) }, question];
  return JSON.stringify({ ...shared, stream_options: { include_usage: true }, messages });
}
