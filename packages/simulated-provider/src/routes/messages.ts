import { type Answer, eventsAnswer, jsonAnswer } from '../answers/answer.ts';
import type { ProviderExchange } from '../http/exchange.ts';
import { requireClaude } from '../messages/claude-models.ts';
import { messageBody } from '../messages/message-body.ts';
import type { MessagesRequest } from '../messages/messages-request.ts';
import { type ParseOptions, parseCount, parseMessages } from '../messages/parse-request.ts';
import { planMessage } from '../messages/plan-message.ts';
import { promptBlocks } from '../messages/prompt-blocks.ts';
import { streamMessage } from '../messages/stream-message.ts';
import { headOf } from '../protocols/anthropic.ts';
import { loadTokenizer } from '../text/tokenizer.ts';

/** POST /v1/messages */
export async function messages(exchange: ProviderExchange): Promise<Answer> {
  return answerMessages(exchange, parseMessages(exchange.json, parseOptions(exchange)));
}

export async function answerMessages(exchange: ProviderExchange, request: MessagesRequest): Promise<Answer> {
  const { credential, fault, promptCache, signal, tokenDelayMs } = exchange;
  requireClaude(request.model);
  const tokenizer = await loadTokenizer();
  const message = planMessage(request, { credential, fault, promptCache, tokenizer });
  if (request.stream !== true) return jsonAnswer(messageBody(message));
  const pingsOnly = fault.sse === 'pings_only';
  return eventsAnswer(streamMessage(message, { pingsOnly, signal, tokenDelayMs, tokenizer }));
}

/** POST /v1/messages/count_tokens */
export async function countTokens(exchange: ProviderExchange): Promise<Answer> {
  return countMessages(parseCount(exchange.json, parseOptions(exchange)));
}

export async function countMessages(request: MessagesRequest): Promise<Answer> {
  requireClaude(request.model);
  const blocks = promptBlocks(request, await loadTokenizer());
  return jsonAnswer({ input_tokens: blocks.reduce((sum, { tokens }) => sum + tokens, 0) });
}

function parseOptions({ fault, req }: ProviderExchange): ParseOptions {
  return { ...headOf(req.headers), mergeRoles: fault.merge_roles === true };
}
