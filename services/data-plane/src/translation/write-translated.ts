import type { TranslatedFor, WrittenJson } from '../json/json-task.ts';
import type { JsonObject } from './json-object.ts';
import type { Translation } from './translation.ts';

/**
 * Translates a request and writes it for a provider.
 * @param chunks its JSON, which was checked before
 * @param onParsed looks at the request before it is translated
 * @throws GatewayError 400 as the translations do
 */
export function writeTranslated(
  chunks: readonly Uint8Array[],
  translations: readonly Translation[],
  model: TranslatedFor,
  onParsed?: (request: JsonObject) => void,
): WrittenJson {
  let request: JsonObject = JSON.parse(Buffer.concat(chunks).toString());
  onParsed?.(request);
  const ignored: string[] = [];
  for (const { apply } of translations) {
    const translated = apply(request, model);
    request = translated.request;
    ignored.push(...translated.ignored);
  }
  const text = JSON.stringify({ ...request, model: model.upstreamModel });
  return { json: new TextEncoder().encode(text), ignored };
}
