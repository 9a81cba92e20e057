import type { Chat } from '../../interfaces/chat.ts';
import type { ChatEndpoint, UpstreamRequest } from '../../interfaces/provider-protocol.ts';
import type { JsonEdits } from '../../json/edit-json.ts';
import { anthropicChat } from '../anthropic/anthropic-chat.ts';
import { AnthropicStreamToChat } from '../anthropic/convert-anthropic-stream-to-chat.ts';
import { AnthropicPassthroughStream } from '../anthropic/passthrough-anthropic-stream.ts';
import { splitAnthropicBetas } from '../anthropic/split-anthropic-betas.ts';
import { buildPassthroughRequest } from '../shared/build-passthrough-request.ts';
import { buildTranslatedRequest } from '../shared/build-translated-request.ts';
import { requireTier } from '../shared/service-tier-for.ts';
import { editedJsonBody, JSON_TYPE } from '../shared/write-json-body.ts';
import { EVENT_STREAM } from './aws-event-stream.ts';
import { bedrockClaudeFraming } from './bedrock-claude-framing.ts';
import { guardedAnswer, guardedEvents } from './bedrock-guardrail.ts';
import { bedrockModelPath } from './bedrock-model-names.ts';
import { BEDROCK_TIERS, bedrockTierHeaders } from './bedrock-tiers.ts';
import { ANTHROPIC_VERSION, CHAT_TO_BEDROCK_CLAUDE } from './chat-to-bedrock-claude.ts';

/** Source: "Anthropic Claude Messages API" in Bedrock's user guide, `anthropic_beta`. Others get a 400. */
const BEDROCK_REFUSED_BETAS = [
  'claude-code-',
  'files-api-',
  'mcp-client-',
  'oauth-',
  'prompt-caching-',
  'structured-outputs-',
  'thinking-token-count-',
];

const EVENTS = guardedEvents(bedrockClaudeFraming);
const BETAS = 'anthropic-beta';

/** InvokeModel takes a body of Messages, with model and `stream` in the path and betas in the body. */
function bedrockClaudeRequest(chat: Chat, upstreamModel: string): UpstreamRequest | Promise<UpstreamRequest> {
  const { streamed } = chat.body.value;
  const path = bedrockModelPath(upstreamModel, streamed ? 'invoke-with-response-stream' : 'invoke');
  const accept = streamed ? EVENT_STREAM : JSON_TYPE;
  const head = { path, accept, ...bedrockTierHeaders(chat) };
  if (chat.api !== 'messages')
    return buildTranslatedRequest(head, chat.translate(upstreamModel, CHAT_TO_BEDROCK_CLAUDE));
  requireTier(chat, BEDROCK_TIERS);
  const { edits, ...rest } = editsForInvokeModel(chat.betas, chat.body.value.defersTools);
  return buildPassthroughRequest(chat.passthroughBody('cloud'), (body) => ({
    ...head,
    body: editedJsonBody(body, edits),
    ...rest,
  }));
}

/** Changes a request of Messages for InvokeModel. @param betas of the caller's headers */
export function editsForInvokeModel(
  betas: readonly string[],
  defersTools: boolean,
): Pick<UpstreamRequest, 'ignored'> & { edits: JsonEdits } {
  const { ignored, passed } = splitAnthropicBetas(betas, BEDROCK_REFUSED_BETAS, defersTools);
  const edits = {
    model: undefined,
    service_tier: undefined,
    stream: undefined,
    anthropic_version: JSON.stringify(ANTHROPIC_VERSION),
    ...(passed.length === 0 ? {} : { anthropic_beta: JSON.stringify(passed) }),
  };
  return { edits, ...(ignored.length === 0 ? {} : { ignored: [BETAS] }) };
}

export const bedrockClaudeChat: Pick<ChatEndpoint, 'buildRequest' | 'events' | 'whole'> = {
  buildRequest: bedrockClaudeRequest,
  events: (chat) =>
    chat.api === 'messages'
      ? new AnthropicPassthroughStream(chat.caller, chat.model.id, EVENTS)
      : new AnthropicStreamToChat(chat.caller, chat.model.id, EVENTS),
  whole: (chat, providerId, upstreamModel) =>
    guardedAnswer(anthropicChat.whole(chat, providerId, upstreamModel)),
};
