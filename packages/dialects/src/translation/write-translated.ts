import { GatewayError } from '@model-gateway/shared';
import { renamedField } from '@model-gateway/shared/errors';
import { parseExactJson, writeExactJson } from '../json/exact-json.ts';
import { type JsonObject, objectOr } from '../json/json-object.ts';
import type { TranslatedFor, TranslatedRequest, Translation } from './translation.ts';

/** A request in another API, complete. */
export interface WrittenJson {
  json: Uint8Array<ArrayBuffer>;
  /** The fields that were left out. */
  ignored: string[];
}

/**
 * Translates a request and writes it for a provider.
 * @param chunks its JSON, which was checked before
 * @param onParsed looks at the request before it is translated
 * @throws GatewayError 400 as the translations do, with the caller's name of the field
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
    const translated = inWordsOf(nameOf, () => apply(request, model));
    for (const name of translated.ignored) ignored.add(nameOf(name));
    const { further = {} } = translated;
    callersPath = (path) => nameOf(translated.callersPath?.(path) ?? path);
    const leavesOut = translations[index + 1]?.leavesFurtherOut ?? index === translations.length - 1;
    request = leavesOut ? translated.request : { ...translated.request, ...further };
    if (leavesOut) for (const name of Object.keys(further)) ignored.add(callersPath(name));
  }
  const isNamed = translations.at(-1)?.leavesModelOut !== true;
  const text = writeExactJson(isNamed ? { ...request, model: model.upstreamModel } : request);
  return { json: new TextEncoder().encode(text), ignored: [...ignored] };
}

/** @param nameOf what the caller calls a field of the request that is translated */
function inWordsOf(nameOf: (path: string) => string, translate: () => TranslatedRequest): TranslatedRequest {
  try {
    return translate();
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.param === null) throw thrown;
    throw renamedField(thrown, nameOf(thrown.param));
  }
}
