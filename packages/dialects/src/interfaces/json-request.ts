import type { JsonBody } from '../json/json-body.ts';
import type { Translation } from '../translation/translation.ts';
import type { WrittenRequest } from './chat.ts';

/** A request in JSON that a provider may want in another form. */
export interface JsonRequest<Value> {
  body: JsonBody<Value>;
  /**
   * The whole request in the provider's form; of a large one a promise, because it waits for its turn.
   * @throws GatewayError 400 that names a field which cannot be expressed; 503 without room for it
   */
  written(upstreamModel: string, translation: Translation): WrittenRequest | Promise<WrittenRequest>;
}
