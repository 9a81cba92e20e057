import type { JsonBody } from '../json/json-body.ts';
import type { Translation } from '../translation/translation.ts';
import type { WrittenRequest } from './chat.ts';

export interface JsonRequest<Value> {
  body: JsonBody<Value>;
  /** Translates the request, as `written` of a chat. */
  written(upstreamModel: string, translation: Translation): WrittenRequest | Promise<WrittenRequest>;
}
