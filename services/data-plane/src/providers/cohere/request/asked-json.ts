import { CALLERS_NOTES } from '@model-gateway/shared';
import { parseExactJson, writeExactJson } from '../../../json/exact-json.ts';
import type { JsonBody } from '../../../json/json-body.ts';
import { FieldReader } from '../../../translation/field-reader.ts';
import type { FieldRules } from '../../../translation/field-rules.ts';
import { type JsonObject, objectOr } from '../../../translation/json-object.ts';
import type { Asked } from '../../dialect.ts';
import { JSON_TYPE, writtenBody } from '../../json-body.ts';

/**
 * A small API of Cohere's, asked with what a request becomes by its rules. The body was checked before; it is
 * parsed once more, which holds up others for a moment only, because nearly all of it is text.
 * @throws GatewayError 400 that names a field which Cohere cannot be asked for
 */
export function askedInJson(
  { path, rules, upstreamModel }: { path: string; rules: FieldRules; upstreamModel: string },
  body: JsonBody<{ model: string }>,
  written: (request: JsonObject, reader: FieldReader) => JsonObject,
): Asked {
  const reader = new FieldReader(body.value.model, rules);
  const { [CALLERS_NOTES]: _notes, ...request } = objectOr(
    parseExactJson(Buffer.concat(body.chunks).toString()),
  );
  const json = writeExactJson({
    model: upstreamModel,
    ...written(reader.members(request, ''), reader),
  });
  return {
    path,
    accept: JSON_TYPE,
    body: writtenBody(new TextEncoder().encode(json)),
    ignored: reader.ignored,
  };
}
