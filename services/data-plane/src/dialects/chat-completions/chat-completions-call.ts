import type { ChatCompletionsRequest } from '@model-gateway/shared';
import { mostOfChat } from '../../billing/most-units.ts';
import type { RoutedModel } from '../../catalog/model-table.ts';
import { ChatMeter } from '../../chat/chat-meter.ts';
import type { JsonBody } from '../../json/json-body.ts';
import type { Chat } from '../../providers/chat.ts';
import { endpointOf } from '../../providers/dialect.ts';
import type { Exchange } from '../../request-record.ts';
import type { CapabilityCall } from '../../upstream/capability-call.ts';
import { EventRelay } from '../../upstream/relay-event-stream.ts';
import { JsonRelay } from '../../upstream/relay-json.ts';
import type { ChatContext } from '../chat-context.ts';
import { RequestTranslation } from '../request-translation.ts';
import { COMPLETIONS } from '../translations.ts';
import { usageOfTurns } from '../usage-of-turns.ts';
import { CompletionsCaller } from './completions-caller.ts';

/** POST /v1/chat/completions, plain and streamed. */
export function chatCompletionsCall(
  exchange: Exchange,
  body: JsonBody<ChatCompletionsRequest>,
  model: RoutedModel,
  shared: ChatContext,
): CapabilityCall {
  const { includeUsage, mediaParts, streamed } = body.value;
  const bounds = mostOfChat(body.value, body.size, model);
  const meter = new ChatMeter(body.chunks, {
    most: bounds.most,
    mediaParts,
    mediaPartTokens: model.mediaPartTokens,
    promptBytes: body.inputBytes,
    usageOfTurns: (turns) => usageOfTurns(turns, model, shared.models.table),
  });
  const translation = new RequestTranslation(
    exchange,
    { api: 'chat-completions', body, model, fromCaller: COMPLETIONS },
    shared,
  );
  const chat: Chat = {
    api: 'chat-completions',
    body,
    model,
    caller: new CompletionsCaller(meter, model.id, includeUsage),
    written: (...to) => translation.write(...to),
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
          translator: (dialect) => endpointOf(dialect, 'chat').events(chat),
          usage: (complete) => meter.usage(complete),
        })
      : new JsonRelay(exchange, shared, (dialect) => endpointOf(dialect, 'chat').whole(chat)),
  };
}
