import { GatewayError } from '@model-gateway/shared';
import { renamedField } from '@model-gateway/shared/errors';
import { parseExactJson, writeExactJson } from '../json/exact-json.ts';
import { type JsonObject, objectOr } from '../json/json-object.ts';
import type { TranslatedFor, TranslatedRequest, Translation } from './translation.ts';

export interface WrittenJson {
  json: Uint8Array<ArrayBuffer>;
  ignored: string[];
}

/**
 * Runs translations one after the other and serializes the result.
 * @param chunks validated JSON
 * @throws GatewayError 400 with the caller's name of the field
 */
export function writeTranslated(
  chunks: readonly Uint8Array[],
  translations: readonly Translation[],
  model: TranslatedFor,
  onParsed?: (request: JsonObject) => void,
): WrittenJson {
  let request = objectOr(parseExactJson(Buffer.concat(chunks).toString()));
  onParsed?.(request);
  const ignored = new Set<string>();
  let callersPath = (path: string) => path;
  for (const [index, { apply }] of translations.entries()) {
    const nameOf = callersPath;
    const next = translations[index + 1];
    const takesMediaInResults = next?.takesMediaInResults;
    const translated = withCallersField(nameOf, () => apply(request, { ...model, takesMediaInResults }));
    for (const name of translated.ignored) ignored.add(nameOf(name));
    const { extra = {} } = translated;
    callersPath = (path) => nameOf(translated.callersPath?.(path) ?? path);
    const omitsExtra = next?.omitsExtra ?? index === translations.length - 1;
    request = omitsExtra ? translated.request : { ...translated.request, ...extra };
    if (omitsExtra) for (const name of Object.keys(extra)) ignored.add(callersPath(name));
  }
  const isNamed = translations.at(-1)?.omitsModel !== true;
  const text = writeExactJson(isNamed ? { ...request, model: model.upstreamModel } : request);
  return { json: new TextEncoder().encode(text), ignored: [...ignored] };
}

/** Renames the field of an error to the caller's name. */
function withCallersField(
  nameOf: (path: string) => string,
  translate: () => TranslatedRequest,
): TranslatedRequest {
  try {
    return translate();
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.param === null) throw thrown;
    throw renamedField(thrown, nameOf(thrown.param));
  }
}
