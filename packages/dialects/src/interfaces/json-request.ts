import type { JsonBody } from '../json/json-body.ts';
import type { Translation } from '../translation/translation.ts';
import type { TranslatedBody } from './chat.ts';

export interface JsonRequest<Value> {
  body: JsonBody<Value>;
  /** Translates the request, as `written` of a chat. */
  translate(upstreamModel: string, translation: Translation): TranslatedBody | Promise<TranslatedBody>;
}
