import type { MessagesRequest } from '@model-gateway/shared';
import type { RoutedModel } from '../../catalog/model-table.ts';
import type { JsonBody } from '../../json/json-body.ts';
import type { Exchange } from '../../request-record.ts';
import type { CapabilityCall } from '../../upstream/capability-call.ts';
import { chatCall } from '../chat-call.ts';
import type { ChatContext } from '../chat-context.ts';
import { COMPLETIONS_FROM_MESSAGES } from '../translations.ts';
import { MessagesWriter } from './answer/messages-writer.ts';
import { asksForBeta, betasIn } from './asks-for-beta.ts';

/** POST /v1/messages, plain and streamed. */
export function messagesCall(
  exchange: Exchange,
  body: JsonBody<MessagesRequest>,
  model: RoutedModel,
  shared: ChatContext,
): CapabilityCall {
  const api = 'messages';
  return chatCall(
    exchange,
    {
      api,
      body,
      model,
      fromCaller: COMPLETIONS_FROM_MESSAGES,
      beginsWithEstimate: true,
      chat: (meter, written) => {
        const caller = new MessagesWriter(meter, model.id);
        const { req } = exchange;
        return { api, body, model, caller, written, beta: asksForBeta(req), betas: betasIn(req) };
      },
    },
    shared,
  );
}
