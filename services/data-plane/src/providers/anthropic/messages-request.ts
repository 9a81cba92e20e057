import { notExpressible } from '@model-gateway/shared/errors';
import type { Chat, JsonObject, TranslatedRequest } from '../chat.ts';

/** A request in the shape of Chat Completions, in Messages. */
export function messagesRequest(_request: JsonObject, { id }: Chat['model']): TranslatedRequest {
  throw notExpressible(id, 'model', 'cannot be asked in Chat Completions yet');
}
