import { type Answer, eventsAnswer, jsonAnswer } from '../answers/answer.ts';
import { type ChatRequest, chatRequest } from '../chat/chat-request.ts';
import { completionBody, streamCompletion } from '../chat/completion-answer.ts';
import { planCompletion } from '../chat/plan-completion.ts';
import { parseFields } from '../errors/parse-fields.ts';
import { ProviderError } from '../errors/provider-error.ts';
import type { ProviderExchange, Route } from '../http/exchange.ts';
import { RESPONSES_MODEL, requireModel } from '../models.ts';
import type { StrictServer } from '../protocols/strict-servers.ts';
import { checkStrictSchema } from '../schemas/strict-schema.ts';

/** POST /v1/chat/completions */
export function chatCompletions(exchange: ProviderExchange): Answer {
  return answerChat(exchange, undefined);
}

/** The same at a server that refuses what others ignore. */
export function strictChatCompletions(server: StrictServer): Route {
  return (exchange) => answerChat(exchange, server);
}

function answerChat(exchange: ProviderExchange, server: StrictServer | undefined): Answer {
  const { fault, json } = exchange;
  const request = parseFields(chatRequest, json);
  if (server === undefined) checkSchema(request);
  else server.check(request);
  requireModel(request.model, 'chat');
  if (request.model === RESPONSES_MODEL && request.tools?.length) throw toolsRefused();
  const completion = planCompletion(request, exchange, server?.usage);
  exchange.meter({
    model: request.model,
    units: completion.billed,
    serviceTier: completion.serviceTier,
    isIncremental: true,
  });
  if (request.stream !== true) return jsonAnswer(completionBody(completion));
  const usagePlace = fault.usage === 'on_last_chunk' ? 'last_chunk' : server?.usageUnasked;
  const asked = request.stream_options?.include_usage === true ? 'own_chunk' : undefined;
  return eventsAnswer(streamCompletion(completion, usagePlace ?? asked));
}

function checkSchema({ response_format: format }: ChatRequest): void {
  const { name = '', schema, strict } = format?.json_schema ?? {};
  if (strict !== true) return;
  checkStrictSchema(schema, { what: `response_format '${name}'`, param: 'response_format' });
}

/** Source: responses quoted in https://github.com/BerriAI/litellm/issues/34569. */
function toolsRefused(): ProviderError {
  return new ProviderError(
    400,
    `Function tools with reasoning_effort are not supported for ${RESPONSES_MODEL} in /v1/chat/completions. ` +
      'Please use /v1/responses instead.',
    { param: 'reasoning_effort' },
  );
}
