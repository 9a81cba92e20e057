import type { JsonEdits } from '../../../json/edit-json.ts';
import type { EventTranslator, JsonTranslator } from '../../answer-translators.ts';
import { translatedMessage } from '../../anthropic/answer/completion.ts';
import { CompletionEvents } from '../../anthropic/answer/completion-events.ts';
import { PassedEvents } from '../../anthropic/answer/passed-events.ts';
import { passedMessage } from '../../anthropic/answer/passed-message.ts';
import { sortedBetas } from '../../anthropic/sorted-betas.ts';
import { askPassed } from '../../ask-passed.ts';
import { askWritten } from '../../ask-written.ts';
import type { Chat } from '../../chat.ts';
import type { Asked } from '../../dialect.ts';
import { editedJsonBody } from '../../json-body.ts';
import { modelPath } from '../model-names.ts';
import { claudeFraming } from './claude-framing.ts';
import { ANTHROPIC_VERSION, CLAUDE_FROM_COMPLETIONS } from './claude-translation.ts';
import { guardedAnswer, guardedEvents } from './guardrail.ts';
import { REFUSED_BETAS } from './refused-betas.ts';

const EVENTS = guardedEvents(claudeFraming);
/** How Bedrock names the header of callers of Messages in the body. */
const BETAS = 'anthropic-beta';

/**
 * InvokeModel, with the body of Messages. A caller of Messages is passed as far as that allows: the model and
 * whether it is a stream are in the path, the betas of its head are in the body.
 */
export function askClaude(chat: Chat, upstreamModel: string, accept: string): Asked | Promise<Asked> {
  const action = chat.body.value.streamed ? 'invoke-with-response-stream' : 'invoke';
  const path = modelPath(upstreamModel, action);
  if (chat.api !== 'messages')
    return askWritten({ path, accept }, chat.written(upstreamModel, CLAUDE_FROM_COMPLETIONS));
  const { edits, ...told } = inInvokeModel(chat.betas);
  return askPassed(chat.passed(), (body) => ({ path, accept, body: editedJsonBody(body, edits), ...told }));
}

/** What a request of Messages has otherwise in InvokeModel. @param betas of the caller's head */
export function inInvokeModel(betas: readonly string[]): Pick<Asked, 'ignored'> & { edits: JsonEdits } {
  const { ignored, passed } = sortedBetas(betas, REFUSED_BETAS);
  const edits = {
    model: undefined,
    stream: undefined,
    anthropic_version: JSON.stringify(ANTHROPIC_VERSION),
    ...(passed.length === 0 ? {} : { anthropic_beta: JSON.stringify(passed) }),
  };
  return { edits, ...(ignored.length === 0 ? {} : { ignored: [BETAS] }) };
}

export function claudeEvents(chat: Chat): EventTranslator {
  const isPassed = chat.api === 'messages';
  const translator = isPassed
    ? new PassedEvents(chat.caller, chat.model.id, EVENTS)
    : new CompletionEvents(chat.caller, chat.model.id, EVENTS);
  return translator;
}

export function claudeMessage(chat: Chat): JsonTranslator {
  return guardedAnswer(
    chat.api === 'messages'
      ? passedMessage(chat.caller, chat.model.id)
      : translatedMessage(chat.caller, chat.model.id),
  );
}
