import { errorBody, type ResponsesRequest } from '@model-gateway/shared';
import type { RoutedModel } from '../../catalog/model-table.ts';
import type { ChatMeter } from '../../chat/chat-meter.ts';
import type { JsonBody } from '../../json/json-body.ts';
import type { ResponsesCaller } from '../../providers/chat-caller.ts';
import type { Exchange } from '../../request-record.ts';
import type { CapabilityCall } from '../../upstream/capability-call.ts';
import { chatCall } from '../chat-call.ts';
import type { ChatContext } from '../chat-context.ts';
import { COMPLETIONS_FROM_MESSAGES } from '../translations.ts';
import type { IdSealer, SealedIds } from './sealed-ids.ts';

/** POST /v1/responses, plain and streamed. */
export function responsesCall(
  exchange: Exchange,
  body: JsonBody<ResponsesRequest>,
  model: RoutedModel,
  shared: ChatContext & { sealedIds: SealedIds },
): CapabilityCall {
  const api = 'responses';
  const { key } = exchange.record;
  if (key === undefined) throw new Error('called before authenticated');
  const { previousResponseId } = body.value;
  const before =
    previousResponseId === undefined ? undefined : shared.sealedIds.open(key.accountId, previousResponseId);
  return chatCall(
    exchange,
    {
      api,
      body,
      model,
      fromCaller: COMPLETIONS_FROM_MESSAGES,
      chat: (meter, written) => {
        const caller = passing(meter, shared.sealedIds.sealer(key.accountId, model.id));
        return { api, body, model, caller, written, previousResponseId: before?.responseId };
      },
    },
    shared,
  );
}

function passing(meter: ChatMeter, sealer: IdSealer): ResponsesCaller {
  const never = (): never => {
    throw new Error('not translated yet');
  };
  let hasFailed = false;
  let number = 0;
  return {
    sealed: (providerId, responseId) => sealer.seal(providerId, responseId),
    restart: () => undefined,
    count: (usage) => meter.count(usage),
    passEvent: ({ type, data, sequence }, written) => {
      if (written !== undefined) meter.deliverText(written);
      hasFailed ||= type === 'response.failed';
      number = sequence ?? number + 1;
      return `event: ${type}\ndata: ${data}\n\n`;
    },
    passResponse: (text, written) => {
      meter.deliverText(written);
      return { body: text, usage: meter.usage(true) };
    },
    passLarge: (pieces, written) => {
      meter.deliverText(written);
      return { pieces, usage: meter.usage(true) };
    },
    failure: (error, requestId) =>
      hasFailed
        ? ''
        : `event: response.failed\ndata: ${JSON.stringify({
            type: 'response.failed',
            sequence_number: number + 1,
            response: { status: 'failed', error: errorBody(error, requestId).error },
          })}\n\n`,
    chunk: never,
    end: never,
    completion: never,
  };
}
