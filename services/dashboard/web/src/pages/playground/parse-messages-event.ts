import { fieldsOf } from '../../api/api-error.ts';
import { type ChatPart, numberOf, textOf, textPart } from './chat-part.ts';

/** Names of stop reasons in Chat Completions, where they differ. */
const REASONS: Record<string, string | undefined> = { max_tokens: 'length', end_turn: 'stop' };

/** Reads an event of POST /v1/messages. @param event its data */
export function parseMessagesEvent(event: Record<string, unknown>): ChatPart[] {
  const index = numberOf(event.index);
  switch (event.type) {
    case 'content_block_start': {
      const { id, name, type } = fieldsOf(event.content_block);
      return type === 'tool_use'
        ? [{ kind: 'tool-call', index, id: textOf(id), name: textOf(name), args: '' }]
        : [];
    }
    case 'content_block_delta': {
      const { partial_json: args, text, type } = fieldsOf(event.delta);
      if (type !== 'input_json_delta') return textPart(text);
      return [{ kind: 'tool-call', index, id: '', name: '', args: textOf(args) }];
    }
    case 'message_delta': {
      const reason = textOf(fieldsOf(event.delta).stop_reason);
      return reason === '' ? [] : [{ kind: 'finished', reason: REASONS[reason] ?? reason }];
    }
    case 'message_stop':
      return [{ kind: 'end' }];
    default:
      return [];
  }
}
