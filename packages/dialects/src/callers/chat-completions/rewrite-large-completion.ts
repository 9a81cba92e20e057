import { unexpectedJson } from '../../failures/provider-failures.ts';
import type { JsonNode } from '../../json/outline-json.ts';
import type { OutlinedResponse } from '../../json/outlined-response.ts';
import type { ChatMeter } from '../../usage/chat-meter.ts';

/** No model writes more. Above, the length is counted instead of the text. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

/** Sets the model id and replaces an absurd usage. @throws GatewayError 502 for anything else */
export function rewriteLargeCompletion(
  answer: OutlinedResponse,
  modelId: string,
  meter: ChatMeter,
): Buffer[] {
  const choices = answer.entries('choices');
  const error = answer.member('error')?.kind;
  const isFailure = error === 'object' || error === 'array';
  if (
    isFailure ||
    choices === undefined ||
    choices.length === 0 ||
    !choices.every(({ kind }) => kind === 'object')
  )
    throw unexpectedJson(new Error('it is no chat completion'));
  const usage = answer.small('usage');
  meter.report(usage);
  meter.reportTier(answer.small('service_tier'));
  for (const [index, choice] of choices.entries()) meter.deliver([{ index, ...delivered(answer, choice) }]);
  const credible = meter.replaceAbsurd(usage);
  return answer.edit({
    model: JSON.stringify(modelId),
    ...(credible === usage ? {} : { usage: JSON.stringify(credible) }),
  });
}

function delivered(answer: OutlinedResponse, { children }: JsonNode): Record<string, unknown> {
  const message =
    answer.member('delta', children) ?? answer.member('message', children) ?? answer.member('text', children);
  if (message === undefined) return {};
  const bytes = message.end - message.valueStart;
  return { message: bytes > MAX_MESSAGE_BYTES ? ' '.repeat(bytes) : answer.value(message) };
}
