import { writeExactJson } from '../json/exact-json.ts';
import { isObject } from '../json/json-object.ts';
import { listAt } from './field-values.ts';

/**
 * The documents of a request for rerank as texts: of an object its `text`, or else its JSON.
 * @throws GatewayError 400 where they are no list
 */
export function documentTexts(documents: unknown): string[] {
  return listAt(documents, 'documents').map((document) => {
    if (typeof document === 'string') return document;
    return isObject(document) && typeof document.text === 'string' ? document.text : writeExactJson(document);
  });
}
