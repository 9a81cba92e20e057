import type { MessagesRequest } from '@model-gateway/shared';
import { mostOfChat } from '../../billing/most-units.ts';
import type { RoutedModel } from '../../catalog/model-table.ts';
import { ChatMeter } from '../../chat/chat-meter.ts';
import type { JsonBody } from '../../json/json-body.ts';
import { promptBytes } from '../../metering/prompt-tokens.ts';
import type { Chat } from '../../providers/chat.ts';
import { endpointOf } from '../../providers/dialect.ts';
import type { Exchange } from '../../request-record.ts';
import type { CapabilityCall } from '../../upstream/capability-call.ts';
import { EventRelay } from '../../upstream/relay-event-stream.ts';
import { JsonRelay } from '../../upstream/relay-json.ts';
import type { ChatContext } from '../chat-context.ts';
import { RequestTranslation } from '../request-translation.ts';
import { COMPLETIONS_FROM_MESSAGES } from '../translations.ts';
import { type Turns, usageOfTurns } from '../usage-of-turns.ts';
import { asksForBeta } from './asks-for-beta.ts';
import { MessagesWriter } from './messages-writer.ts';

/** POST /v1/messages, plain and streamed. */
export function messagesCall(
  exchange: Exchange,
  body: JsonBody<MessagesRequest>,
  model: RoutedModel,
  shared: ChatContext,
): CapabilityCall {
  const { mediaParts, streamed } = body.value;
  const bounds = mostOfChat(body.value, body.size, model);
  const known = {
    most: bounds.most,
    mediaParts,
    mediaPartTokens: model.mediaPartTokens,
    promptBytes: body.inputBytes,
    usageOfTurns: (turns: Turns) => usageOfTurns(turns, model, shared.models.table),
  };
  const meter = new ChatMeter(body.chunks, known);
  const caller = new MessagesWriter(meter, model.id);
  const translation = new RequestTranslation(
    exchange,
    {
      api: 'messages',
      body,
      model,
      fromCaller: COMPLETIONS_FROM_MESSAGES,
      onParsed: (request) => {
        // A stream begins with an estimate: the request is parsed for it only once.
        if (streamed) known.promptBytes ??= promptBytes(request);
      },
    },
    shared,
  );
  const chat: Chat = {
    api: 'messages',
    body,
    model,
    caller,
    written: (...to) => translation.write(...to),
    beta: asksForBeta(exchange.req),
  };
  return {
    streamed,
    ...bounds,
    get repeatable() {
      return translation.isRepeatable;
    },
    ask: (dialect, upstreamModel, pace) => endpointOf(dialect, 'chat').ask(chat, upstreamModel, pace),
    answer: streamed
      ? new EventRelay(exchange, shared.streamTimings, {
          translator: (dialect) => {
            caller.restart();
            return endpointOf(dialect, 'chat').events(chat);
          },
          usage: (complete) => meter.usage(complete),
        })
      : new JsonRelay(exchange, shared, (dialect) => endpointOf(dialect, 'chat').whole(chat)),
  };
}
