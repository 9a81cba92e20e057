import { callableTools, MAX_TOOLS, shellRunner, toolsOffered } from '@model-gateway/shared';
import { invalidField } from '@model-gateway/shared/errors';
import { isObject, type JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { flagAt, objectAt, objectsAt, textAt } from '../../translation/field-values.ts';
import { joined } from '../chat-request/chat-content-parts.ts';
import type { Origins } from '../chat-request/origins.ts';
import { nameOfType, refusedType } from '../chat-request/refused-type.ts';
import { ToolNames } from '../chat-request/tool-names.ts';

export interface OfferedTool {
  /** The name of the function. */
  name: string;
  tool: JsonObject;
}

export function toolNames(request: JsonObject): ToolNames {
  return new ToolNames(callableTools(toolsOffered(request)));
}

/**
 * Returns the caller's tools, also those of input items. Ignores server tools by name.
 * @throws GatewayError 400 for other types, for two tools of one name, and for too many
 */
export function offeredTools(
  reader: FieldReader,
  { input, tools }: JsonObject,
  names: ToolNames,
  origins: Origins,
): OfferedTool[] {
  const declare = new ToolDeclarations(reader, names, origins);
  declare.addList(tools ?? [], 'tools');
  if (Array.isArray(input))
    for (const [index, item] of input.entries())
      if (isObject(item) && item.type === 'additional_tools')
        declare.addList(item.tools ?? [], `input[${index}].tools`);
  return [...declare.offered.values()];
}

/** A namespace, and the description for its first tool. */
interface Group {
  name: string;
  descriptions: string[];
}

class ToolDeclarations {
  readonly offered = new Map<string, OfferedTool>();
  readonly #reader: FieldReader;
  readonly #names: ToolNames;
  readonly #origins: Origins;
  readonly #inList = new Set<string>();

  constructor(reader: FieldReader, names: ToolNames, origins: Origins) {
    this.#reader = reader;
    this.#names = names;
    this.#origins = origins;
  }

  /** Adds tools. A tool of a later list replaces an earlier one of the same name. */
  addList(tools: unknown, at: string): void {
    this.#inList.clear();
    this.#addAll(tools, at);
  }

  #addAll(tools: unknown, at: string, group?: Group): void {
    for (const [index, tool] of objectsAt(tools, at).entries()) this.#add(tool, `${at}[${index}]`, group);
  }

  #add({ type: given, ...tool }: JsonObject, at: string, group?: Group): void {
    const type = textAt(given, `${at}.type`);
    const name = nameOfType('tools', type);
    if (type === 'function') this.#addFunction(this.#reader.members(tool, at, name), at, group);
    else if (type === 'custom') this.#addCustom(this.#reader.members(tool, at, name), at, group);
    else if (type === 'namespace' && group === undefined)
      this.#addGroup(this.#reader.members(tool, at, name), at);
    else if (this.#reader.rule(name)?.fate === 'ignored' || isHostedShell(type, tool))
      this.#reader.ignore(name);
    else throw refusedType(this.#reader, 'tools', type, at);
  }

  #addGroup({ description, name, tools }: JsonObject, at: string): void {
    const descriptions = descriptionsIn(description, at);
    const group = { name: textAt(name, `${at}.name`), descriptions };
    this.#addAll(tools, `${at}.tools`, group);
  }

  #addFunction({ description, name, parameters, strict }: JsonObject, at: string, group?: Group): void {
    const descriptions = descriptionsIn(description, at);
    this.#offer(name, at, group, {
      ...described(descriptions, group),
      ...(parameters === undefined ? {} : { parameters: objectAt(parameters, `${at}.parameters`) }),
      ...(strict === undefined ? {} : { strict: flagAt(strict, `${at}.strict`) }),
    });
  }

  #addCustom({ description, format, name }: JsonObject, at: string, group?: Group): void {
    const descriptions = descriptionsIn(description, at);
    descriptions.push(this.#describeFormat(format, `${at}.format`));
    this.#offer(name, at, group, { ...described(descriptions, group), parameters: TEXT_INPUT });
  }

  #offer(given: unknown, at: string, group: Group | undefined, declared: JsonObject): void {
    const name = this.#names.of(textAt(given, `${at}.name`), group?.name);
    if (this.#inList.has(name)) throw invalidField(`${at}.name`, 'is the name of another tool, too');
    this.#inList.add(name);
    if (this.offered.size === MAX_TOOLS && !this.offered.has(name))
      throw this.#reader.refusal('tools', `takes no more than ${MAX_TOOLS} tools`);
    const tool = { type: 'function', function: { name, ...declared } };
    this.offered.set(name, { name, tool: this.#origins.record(tool, at) });
  }

  #describeFormat(format: unknown, at: string): string {
    if (format === undefined) return IS_TEXT;
    const { definition, syntax, type } = this.#reader.members(format, at, 'tools[custom].format');
    if (type === 'text') return IS_TEXT;
    if (type !== 'grammar') throw this.#reader.refusal(`${at}.type`, 'takes text and grammars alone');
    const language = textAt(syntax, `${at}.syntax`);
    return `${IS_TEXT} All of it must follow this grammar (${language}):\n${textAt(definition, `${at}.definition`)}`;
  }
}

/** Most providers have no tools with text input. */
const TEXT_INPUT = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
};
const IS_TEXT = '`input` is the text that the tool reads, as it is.';

function descriptionsIn(description: unknown, at: string): string[] {
  return description === undefined ? [] : [textAt(description, `${at}.description`)];
}

/** Puts the description of a group on its first tool only: repeats would fill the model's context. */
function described(descriptions: readonly string[], group: Group | undefined): JsonObject {
  const all = joined(
    [...(group?.descriptions.splice(0) ?? []), ...descriptions].filter((text) => text !== ''),
  );
  return all === '' ? {} : { description: all };
}

function isHostedShell(type: string, { environment }: JsonObject): boolean {
  return type === 'shell' && shellRunner(environment) === 'provider';
}
