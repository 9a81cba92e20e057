import { type Answer, eventsAnswer, jsonAnswer } from '../answers/answer.ts';
import type { ProviderExchange } from '../http/exchange.ts';
import { messageBody, streamMessage } from '../messages/message-answer.ts';
import type { MessagesRequest } from '../messages/messages-request.ts';
import { type ParseOptions, parseCount, parseMessages } from '../messages/parse-messages.ts';
import { planMessage } from '../messages/plan-message.ts';
import { countPrompt } from '../messages/prompt-blocks.ts';
import { requireClaude } from '../models.ts';
import { versionAndBetas } from '../protocols/anthropic.ts';

/** POST /v1/messages */
export function messages(exchange: ProviderExchange): Answer {
  return answerMessages(exchange, parseMessages(exchange.json, parseOptions(exchange)));
}

export function answerMessages(exchange: ProviderExchange, request: MessagesRequest): Answer {
  requireClaude(request.model);
  const message = planMessage(request, exchange);
  const { billed: units, serviceTier } = message.usage;
  exchange.meter({ model: request.model, units, serviceTier, isIncremental: true });
  if (request.stream !== true) return jsonAnswer(messageBody(message));
  return eventsAnswer(streamMessage(message, exchange.fault.sse === 'pings_only'));
}

/** POST /v1/messages/count_tokens */
export function countMessageTokens(exchange: ProviderExchange): Answer {
  return answerTokenCount(parseCount(exchange.json, parseOptions(exchange)));
}

export function answerTokenCount(request: MessagesRequest): Answer {
  requireClaude(request.model);
  return jsonAnswer({ input_tokens: countPrompt(request) });
}

function parseOptions({ fault, req }: ProviderExchange): ParseOptions {
  return { ...versionAndBetas(req.headers), mergeRoles: fault.merge_roles === true };
}
