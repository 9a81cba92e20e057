import { writeExactJson } from '../json/exact-json.ts';
import { isObject } from '../json/json-object.ts';
import { listAt } from './field-values.ts';

/** Converts documents to texts: an object becomes its `text`, or else its JSON. */
export function documentTexts(documents: unknown): string[] {
  return listAt(documents, 'documents').map((document) => {
    if (typeof document === 'string') return document;
    return isObject(document) && typeof document.text === 'string' ? document.text : writeExactJson(document);
  });
}
