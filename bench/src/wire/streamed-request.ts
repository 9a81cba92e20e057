import { type AnswerPlan, planText } from './answer-plan.ts';
import { filler } from './request-body.ts';

/** So few that the request costs little. */
const MAX_TOKENS = 100;

export interface StreamedRequest extends AnswerPlan {
  /** About the length of the request's JSON. */
  requestBytes: number;
  model: string;
  path: '/v1/chat/completions' | '/v1/messages' | '/v1/responses';
}

/** Creates a request for a stream. Its plan is the system instruction, which every translation preserves. */
export function streamedRequest({ requestBytes, model, path, ...plan }: StreamedRequest): string {
  const question = { role: 'user', content: filler(requestBytes) };
  if (path === '/v1/responses') {
    const bounds = { max_output_tokens: MAX_TOKENS, store: false, stream: true };
    return JSON.stringify({ model, ...bounds, instructions: planText(plan), input: [question] });
  }
  const shared = { model, max_tokens: MAX_TOKENS, stream: true };
  if (path === '/v1/messages')
    return JSON.stringify({ ...shared, system: planText(plan), messages: [question] });
  const messages = [{ role: 'system', content: planText(plan) }, question];
  return JSON.stringify({ ...shared, stream_options: { include_usage: true }, messages });
}
