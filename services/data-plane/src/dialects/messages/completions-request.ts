import { notExpressible } from '@model-gateway/shared/errors';
import type { JsonObject, TranslatedRequest } from '../../providers/chat.ts';

/** A request of Messages in the shape of Chat Completions. */
export function completionsRequest(_request: JsonObject, { id }: { id: string }): TranslatedRequest {
  throw notExpressible(id, 'model', 'cannot be asked in Messages yet');
}
