import { invalidField } from '@model-gateway/shared/errors';
import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { objectsAt, textAt } from '../../translation/field-values.ts';
import { nameOfType } from '../chat-request/refused-type.ts';
import type { ToolNames } from '../chat-request/tool-names.ts';
import type { OfferedTool } from './convert-responses-tools.ts';

const MODES: readonly unknown[] = ['auto', 'none', 'required'];
const NO_SUCH_MODE = 'must be auto, none or required';

interface Chosen {
  tools: readonly OfferedTool[];
  choice?: unknown;
}

export class ResponsesToolChoice {
  readonly #reader: FieldReader;
  readonly #offered: readonly OfferedTool[];
  readonly #names: ToolNames;

  constructor(reader: FieldReader, offered: readonly OfferedTool[], names: ToolNames) {
    this.#reader = reader;
    this.#offered = offered;
    this.#names = names;
  }

  /** Returns `tools` and the choice. @throws GatewayError 400 for a choice of a missing tool */
  members({ parallel_tool_calls, tool_choice }: JsonObject): JsonObject {
    const { choice, tools } = this.#chosen(tool_choice);
    // Providers refuse a choice without tools, and the remaining choices mean the same.
    if (tools.length === 0) return {};
    return {
      tools: tools.map(({ tool }) => tool),
      ...(choice === undefined ? {} : { tool_choice: choice }),
      ...(parallel_tool_calls === false ? { parallel_tool_calls } : {}),
    };
  }

  #chosen(given: unknown): Chosen {
    if (given === undefined) return { tools: this.#offered };
    if (typeof given === 'string') return this.#mode(given, 'tool_choice', this.#offered);
    const type = typeAt(given, 'tool_choice');
    if (type === 'function' || type === 'custom')
      return {
        tools: this.#offered,
        choice: { type: 'function', function: { name: this.#named(given, 'tool_choice') } },
      };
    if (type === 'allowed_tools') return this.#allowed(this.#reader.members(given, 'tool_choice'));
    if (this.#isKnownType(type))
      throw this.#reader.refusal('tool_choice', `has no tool of the type "${type}"`);
    throw this.#reader.refusal('tool_choice.type', 'takes no such choice of tools');
  }

  #mode(mode: unknown, path: string, tools: readonly OfferedTool[]): Chosen {
    if (!MODES.includes(mode)) throw invalidField(path, NO_SUCH_MODE);
    if (mode === 'required' && tools.length === 0)
      throw this.#reader.refusal('tool_choice', 'has none of these tools to call');
    return { tools, choice: mode };
  }

  /** Offers only allowed tools, because most providers have no list of these. */
  #allowed({ mode = 'auto', tools }: JsonObject): Chosen {
    const allowed = new Set<string>();
    for (const [index, tool] of objectsAt(tools, 'tool_choice.tools').entries()) {
      const path = `tool_choice.tools[${index}]`;
      const type = typeAt(tool, path);
      if (type === 'function' || type === 'custom') allowed.add(this.#named(tool, path));
      else if (!this.#isKnownType(type)) throw this.#reader.refusal(`${path}.type`, 'takes no such tool');
      else if (mode === 'required')
        throw this.#reader.refusal('tool_choice', `has no tool of the type "${type}"`);
      else this.#reader.ignore(nameOfType('tools', type));
    }
    return this.#mode(
      mode,
      'tool_choice.mode',
      this.#offered.filter(({ name }) => allowed.has(name)),
    );
  }

  /** @returns the name of the function */
  #named(given: unknown, path: string): string {
    const { name, namespace } = this.#reader.members(given, path);
    const within = namespace === undefined ? undefined : textAt(namespace, `${path}.namespace`);
    const wanted = textAt(name, `${path}.name`);
    const called = this.#names.of(wanted, within);
    const found = this.#names.tool(called);
    if (found?.name === wanted && found.namespace === within) return called;
    throw invalidField(`${path}.name`, 'must be the name of one of the `tools`');
  }

  #isKnownType(type: string): boolean {
    return this.#reader.rule(nameOfType('tools', type)) !== undefined;
  }
}

function typeAt(given: unknown, path: string): string {
  const type = typeof given === 'object' && given !== null && 'type' in given ? given.type : undefined;
  return textAt(type, `${path}.type`);
}
