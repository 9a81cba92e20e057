import type { Chat } from '../chat.ts';
import type { Asked, ChatEndpoint } from '../dialect.ts';
import { JSON_TYPE } from '../json-body.ts';
import { EVENT_STREAM, loadEventStreams } from './aws/event-stream.ts';
import { askClaude, claudeEvents, claudeMessage } from './claude/claude.ts';
import { count } from './claude/count.ts';
import { askConverse, converseEvents, converseMessage } from './converse/converse.ts';
import { isClaude } from './model-names.ts';

/** By the model: those of Anthropic are asked in Messages, all others in Converse. */
export const chat: ChatEndpoint = {
  // Of the models of Anthropic: their requests pass as they came, but for members that Bedrock has no place for.
  apis: ['messages'],
  ask: (chat, upstreamModel) => {
    const { streamed } = chat.body.value;
    const loading = streamed ? loadEventStreams() : undefined;
    const ask = () => asked(chat, upstreamModel, streamed ? EVENT_STREAM : JSON_TYPE);
    return loading === undefined ? ask() : loading.then(ask);
  },
  events: (chat, _providerId, upstreamModel) =>
    isClaude(upstreamModel) ? claudeEvents(chat) : converseEvents(chat),
  whole: (chat, _providerId, upstreamModel) =>
    isClaude(upstreamModel) ? claudeMessage(chat) : converseMessage(chat),
  count,
};

function asked(chat: Chat, upstreamModel: string, accept: string): Asked | Promise<Asked> {
  return isClaude(upstreamModel)
    ? askClaude(chat, upstreamModel, accept)
    : askConverse(chat, upstreamModel, accept);
}
