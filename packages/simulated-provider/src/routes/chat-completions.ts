import { type Answer, eventsAnswer, jsonAnswer } from '../answers/answer.ts';
import { chatRequest } from '../chat/chat-request.ts';
import { completionBody } from '../chat/completion-body.ts';
import { planCompletion } from '../chat/plan-completion.ts';
import { streamCompletion, usagePlace } from '../chat/stream-completion.ts';
import { parseFields } from '../errors/parse-fields.ts';
import { ProviderError } from '../errors/provider-error.ts';
import type { ProviderExchange, Route } from '../http/exchange.ts';
import { RESPONSES_MODEL, requireModel } from '../models.ts';
import type { StrictServer } from '../protocols/strict-servers.ts';
import { loadTokenizer } from '../text/tokenizer.ts';

/** POST /v1/chat/completions */
export function chatCompletions(exchange: ProviderExchange): Promise<Answer> {
  return answerChat(exchange, undefined);
}

/** The same at a server that refuses what others ignore. */
export function strictChatCompletions(server: StrictServer): Route {
  return (exchange) => answerChat(exchange, server);
}

async function answerChat(
  { credential, fault, json, signal, tokenDelayMs }: ProviderExchange,
  server: StrictServer | undefined,
): Promise<Answer> {
  const request = parseFields(chatRequest, json);
  server?.check(request);
  requireModel(request.model, 'chat');
  if (request.model === RESPONSES_MODEL && request.tools?.length) throw toolsRefused();
  const tokenizer = await loadTokenizer();
  const completion = planCompletion(request, { credential, fault, tokenizer });
  if (request.stream !== true) return jsonAnswer(completionBody(completion));
  const isAsked = request.stream_options?.include_usage === true;
  const isOnLastChunk = fault.usage === 'on_last_chunk' || server?.sendsUsageUnasked === true;
  const usage = usagePlace(completion.usage, isAsked, isOnLastChunk);
  return eventsAnswer(streamCompletion(completion, { signal, tokenDelayMs, tokenizer, usage }));
}

/** Source: the answers quoted in https://github.com/BerriAI/litellm/issues/34569. */
function toolsRefused(): ProviderError {
  return new ProviderError(
    400,
    `Function tools with reasoning_effort are not supported for ${RESPONSES_MODEL} in /v1/chat/completions. ` +
      'Please use /v1/responses instead.',
    { param: 'reasoning_effort' },
  );
}
