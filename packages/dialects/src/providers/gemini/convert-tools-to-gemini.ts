import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { flagAt, objectAt, textAt } from '../../translation/field-values.ts';
import { readToolChoice, readTools, type ToolChoice } from '../shared/read-chat-tools.ts';
import { convertSchemaToGemini } from './convert-schema-to-gemini.ts';

export interface GeminiTools {
  /** Function declarations. */
  tools: JsonObject[];
  /** undefined: the model decides. */
  config: JsonObject | undefined;
}

/** @param request its carried members */
export function convertToolsToGemini(request: JsonObject, reader: FieldReader): GeminiTools {
  const declared = readTools(request, reader, (given, path) => declaredAt(given, path, reader));
  const names = new Set(declared.map(({ declaration }) => declaration.name));
  const choice = readToolChoice(request, names, reader);
  const { allowed } = choice;
  const offered =
    allowed === undefined ? declared : declared.filter(({ declaration }) => allowed.has(declaration.name));
  const config = configOf(choice);
  if (offered.length === 0) {
    if (config?.mode === 'ANY') throw reader.refusal('tool_choice', 'is given no tools to choose from');
    return { tools: [], config: undefined };
  }
  // In this mode the model keeps to the schemas.
  const isValidated = config === undefined && offered.some(({ isStrict }) => isStrict);
  return {
    tools: offered.map(({ declaration }) => declaration),
    config: isValidated ? { mode: 'VALIDATED' } : config,
  };
}

function declaredAt(
  given: unknown,
  path: string,
  reader: FieldReader,
): { declaration: JsonObject; isStrict: boolean } {
  const { description, name, parameters, strict } = reader.members(given, path);
  const at = `${path}.parameters`;
  const schema = parameters === undefined ? {} : convertSchemaToGemini(objectAt(parameters, at), at, reader);
  const typed = 'type' in schema ? schema : { type: 'object', ...schema };
  return {
    declaration: {
      name: textAt(name, `${path}.name`),
      ...(description === undefined ? {} : { description: textAt(description, `${path}.description`) }),
      ...(Object.keys(schema).length === 0 ? {} : { parametersJsonSchema: typed }),
    },
    isStrict: flagAt(strict ?? false, `${path}.strict`),
  };
}

const MODES = { auto: undefined, none: { mode: 'NONE' }, required: { mode: 'ANY' } } as const;

function configOf({ mode = 'auto', name }: ToolChoice): JsonObject | undefined {
  return name === undefined ? MODES[mode] : { mode: 'ANY', allowedFunctionNames: [name] };
}
