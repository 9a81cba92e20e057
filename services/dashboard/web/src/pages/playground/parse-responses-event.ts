import { fieldsOf } from '../../api/api-error.ts';
import { type ChatPart, numberOf, textOf, textPart } from './chat-part.ts';

/** Reads an event of POST /v1/responses. @param event its data */
export function parseResponsesEvent(event: Record<string, unknown>): ChatPart[] {
  const index = numberOf(event.output_index);
  switch (event.type) {
    case 'response.output_text.delta':
    case 'response.refusal.delta':
      return textPart(event.delta);
    case 'response.output_item.added': {
      const { call_id: id, name, type } = fieldsOf(event.item);
      return type === 'function_call'
        ? [{ kind: 'tool-call', index, id: textOf(id), name: textOf(name), args: '' }]
        : [];
    }
    case 'response.function_call_arguments.delta':
      return [{ kind: 'tool-call', index, id: '', name: '', args: textOf(event.delta) }];
    case 'response.completed':
      return [{ kind: 'finished', reason: 'stop' }, { kind: 'end' }];
    case 'response.incomplete': {
      const { reason } = fieldsOf(fieldsOf(event.response).incomplete_details);
      const name = reason === 'max_output_tokens' ? 'length' : textOf(reason);
      return [{ kind: 'finished', reason: name }, { kind: 'end' }];
    }
    default:
      return [];
  }
}
