import { invalidField } from '@model-gateway/shared/errors';
import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { flagAt, objectAt, objectsAt, textAt } from '../../translation/field-values.ts';
import { refusedType } from '../chat-request/refused-type.ts';
import { ToolNames } from '../chat-request/tool-names.ts';

export function functionTools(reader: FieldReader, tools: unknown, names: ToolNames): JsonObject[] {
  if (tools === undefined) return [];
  return objectsAt(tools, 'tools').map((tool, index) => functionTool(reader, tool, names, `tools[${index}]`));
}

function functionTool(reader: FieldReader, tool: JsonObject, names: ToolNames, at: string): JsonObject {
  const type = tool.type ?? 'custom';
  if (type !== 'custom') throw refusedType(reader, 'tools', textAt(type, `${at}.type`), at);
  const { description, input_schema, name, strict } = reader.members(tool, at);
  return {
    type: 'function',
    function: {
      name: names.of(textAt(name, `${at}.name`)),
      ...(description === undefined ? {} : { description }),
      parameters: objectAt(input_schema, `${at}.input_schema`),
      ...(strict === undefined ? {} : { strict }),
    },
  };
}

const CHOICES = new Map([
  ['auto', 'auto'],
  ['any', 'required'],
  ['none', 'none'],
]);

/** Drops `none` and `auto` without tools, because providers refuse a choice then. */
export function chosenTool(
  reader: FieldReader,
  choice: unknown,
  { hasTools, names }: { hasTools: boolean; names: ToolNames },
): JsonObject {
  if (choice === undefined) return {};
  const { disable_parallel_tool_use, name, type } = reader.members(choice, 'tool_choice');
  if (!hasTools && (type === 'auto' || type === 'none')) return {};
  const isSingle = flagAt(disable_parallel_tool_use ?? false, 'tool_choice.disable_parallel_tool_use');
  const parallel = isSingle ? { parallel_tool_calls: false } : {};
  if (type === 'tool')
    return {
      tool_choice: { type: 'function', function: { name: names.of(textAt(name, 'tool_choice.name')) } },
      ...parallel,
    };
  const chosen = CHOICES.get(textAt(type, 'tool_choice.type'));
  if (chosen === undefined) throw invalidField('tool_choice.type', 'must be auto, any, tool or none');
  return { tool_choice: chosen, ...parallel };
}

/** @param names of the tools of a request, in order */
export function messagesToolNames(names: readonly string[]): ToolNames {
  return new ToolNames(names.map((name) => ({ isCustom: false, name, namespace: undefined })));
}
