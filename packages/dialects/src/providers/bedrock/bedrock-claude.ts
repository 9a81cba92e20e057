import type { Chat } from '../../interfaces/chat.ts';
import type { Asked } from '../../interfaces/provider-protocol.ts';
import type { EventTranslator, JsonTranslator } from '../../interfaces/response-translators.ts';
import type { JsonEdits } from '../../json/edit-json.ts';
import { convertAnthropicMessageToChat } from '../anthropic/convert-anthropic-message-to-chat.ts';
import { AnthropicStreamToChat } from '../anthropic/convert-anthropic-stream-to-chat.ts';
import { anthropicPassthroughMessage } from '../anthropic/passthrough-anthropic-message.ts';
import { AnthropicPassthroughStream } from '../anthropic/passthrough-anthropic-stream.ts';
import { sortAnthropicBetas } from '../anthropic/sort-anthropic-betas.ts';
import { buildPassthroughRequest } from '../shared/build-passthrough-request.ts';
import { buildTranslatedRequest } from '../shared/build-translated-request.ts';
import { editedJsonBody } from '../shared/write-json-body.ts';
import { bedrockClaudeFraming } from './bedrock-claude-framing.ts';
import { guardedAnswer, guardedEvents } from './bedrock-guardrail.ts';
import { bedrockModelPath } from './bedrock-model-names.ts';
import { BEDROCK_REFUSED_BETAS } from './bedrock-refused-betas.ts';
import { ANTHROPIC_VERSION, CHAT_TO_BEDROCK_CLAUDE } from './chat-to-bedrock-claude.ts';

const EVENTS = guardedEvents(bedrockClaudeFraming);
/** How Bedrock names the header of callers of Messages in the body. */
const BETAS = 'anthropic-beta';

/**
 * InvokeModel, with the body of Messages. A caller of Messages is passed as far as that allows: the model and
 * whether it is a stream are in the path, the betas of its head are in the body.
 */
export function bedrockClaudeRequest(
  chat: Chat,
  upstreamModel: string,
  accept: string,
): Asked | Promise<Asked> {
  const action = chat.body.value.streamed ? 'invoke-with-response-stream' : 'invoke';
  const path = bedrockModelPath(upstreamModel, action);
  if (chat.api !== 'messages')
    return buildTranslatedRequest({ path, accept }, chat.written(upstreamModel, CHAT_TO_BEDROCK_CLAUDE));
  const { edits, ...told } = inInvokeModel(chat.betas);
  return buildPassthroughRequest(chat.passed(), (body) => ({
    path,
    accept,
    body: editedJsonBody(body, edits),
    ...told,
  }));
}

/** Changes a request of Messages for InvokeModel. @param betas of the caller's headers */
export function inInvokeModel(betas: readonly string[]): Pick<Asked, 'ignored'> & { edits: JsonEdits } {
  const { ignored, passed } = sortAnthropicBetas(betas, BEDROCK_REFUSED_BETAS);
  const edits = {
    model: undefined,
    stream: undefined,
    anthropic_version: JSON.stringify(ANTHROPIC_VERSION),
    ...(passed.length === 0 ? {} : { anthropic_beta: JSON.stringify(passed) }),
  };
  return { edits, ...(ignored.length === 0 ? {} : { ignored: [BETAS] }) };
}

export function bedrockClaudeStream(chat: Chat): EventTranslator {
  const isPassed = chat.api === 'messages';
  const translator = isPassed
    ? new AnthropicPassthroughStream(chat.caller, chat.model.id, EVENTS)
    : new AnthropicStreamToChat(chat.caller, chat.model.id, EVENTS);
  return translator;
}

export function bedrockClaudeMessage(chat: Chat): JsonTranslator {
  return guardedAnswer(
    chat.api === 'messages'
      ? anthropicPassthroughMessage(chat.caller, chat.model.id)
      : convertAnthropicMessageToChat(chat.caller, chat.model.id),
  );
}
