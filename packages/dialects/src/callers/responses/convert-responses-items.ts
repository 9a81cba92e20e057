import { invalidField } from '@model-gateway/shared/errors';
import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { objectsAt, textAt } from '../../translation/field-values.ts';
import { joined, type Part } from '../chat-request/chat-content-parts.ts';
import { ChatConversation } from '../chat-request/chat-conversation.ts';
import type { Origins } from '../chat-request/origins.ts';
import { nameOfType, refusedType } from '../chat-request/refused-type.ts';
import type { ToolNames } from '../chat-request/tool-names.ts';
import { convertResponsesContent, FROM_TOOL, FROM_USER, TEXT_ONLY } from './convert-responses-content.ts';
import { convertResponsesReasoning } from './convert-responses-reasoning.ts';

interface Conversion {
  names: ToolNames;
  origins: Origins;
  takesMediaInResults: boolean | undefined;
}

/** Reads the items of a request as messages of Chat Completions. */
class ItemsReader {
  readonly #reader: FieldReader;
  readonly #names: ToolNames;
  readonly #origins: Origins;
  readonly #conversation: ChatConversation;

  constructor(reader: FieldReader, { names, origins, takesMediaInResults }: Conversion) {
    this.#reader = reader;
    this.#names = names;
    this.#origins = origins;
    this.#conversation = new ChatConversation(origins, takesMediaInResults);
  }

  instructions(text: string): void {
    if (text !== '') this.#conversation.system(text, 'instructions');
  }

  /** @throws GatewayError 400 for what Chat Completions cannot express */
  add(item: JsonObject, at: string): void {
    const type = typeOf(item, at);
    const members = () => this.#members(item, type, at);
    if (type === 'message') this.#message(members(), at);
    else if (type === 'function_call') this.#functionCall(members(), at);
    else if (type === 'custom_tool_call') this.#customToolCall(members(), at);
    else if (OUTPUTS.includes(type)) this.#callOutput(members(), at);
    else if (type === 'image_generation_call') this.#picture(members(), at);
    else if (type === 'reasoning') this.#reasoning(members(), at);
    // `offeredTools` converts its tools; here only the rules of its members apply.
    else if (type === 'additional_tools') members();
    else this.#ignoreItem(type, at);
  }

  end(): JsonObject[] {
    return this.#conversation.end();
  }

  #ignoreItem(type: string, at: string): void {
    const name = nameOfType('input', type);
    if (this.#reader.rule(name)?.fate !== 'ignored') throw refusedType(this.#reader, 'input', type, at);
    this.#reader.ignore(name);
  }

  #parts(content: unknown, at: string, types: readonly string[]): Part[] {
    return convertResponsesContent(this.#reader, content, at, types, this.#origins);
  }

  #members({ type: _type, ...item }: JsonObject, type: string, at: string): JsonObject {
    return this.#reader.members(item, at, `input[${type}]`);
  }

  #message({ content, role }: JsonObject, at: string): void {
    const types = role === 'user' ? FROM_USER : TEXT_ONLY;
    const parts = this.#parts(content, `${at}.content`, types);
    const texts = parts.flatMap(({ text }) => text ?? []);
    if (role === 'user') {
      if (parts.length > 0) this.#conversation.user(parts, at);
    } else if (role === 'system' || role === 'developer') {
      if (parts.length > 0) this.#conversation.system(joined(texts), at);
    } else if (role === 'assistant') {
      const turn = this.#conversation.assistant(at);
      for (const text of texts) turn.addText(text);
      turn.endMessage();
    } else throw invalidField(`${at}.role`, 'must be user, assistant, system or developer');
  }

  #functionCall({ arguments: args, call_id, name, namespace }: JsonObject, at: string): void {
    const written = textAt(args, `${at}.arguments`);
    this.#call({ call_id, name, namespace }, written === '' ? '{}' : written, at);
  }

  #customToolCall({ call_id, input, name, namespace }: JsonObject, at: string): void {
    const args = JSON.stringify({ input: textAt(input, `${at}.input`) });
    this.#call({ call_id, name, namespace }, args, at);
  }

  #callOutput({ call_id, output }: JsonObject, at: string): void {
    const id = textAt(call_id, `${at}.call_id`);
    this.#conversation.result(id, this.#parts(output, `${at}.output`, FROM_TOOL), at);
  }

  /** A failed image generation has no result. */
  #picture({ output_format, result }: JsonObject, at: string): void {
    if (result === undefined || result === null) return;
    const format = textAt(output_format ?? 'png', `${at}.output_format`);
    const url = `data:image/${format};base64,${textAt(result, `${at}.result`)}`;
    this.#conversation.assistant(at).addPicture(url);
  }

  #reasoning(members: JsonObject, at: string): void {
    convertResponsesReasoning(() => this.#conversation.assistant(at), this.#reader, members, at);
  }

  #call({ call_id, name, namespace }: JsonObject, args: string, at: string): void {
    const within = namespace === undefined ? undefined : textAt(namespace, `${at}.namespace`);
    const id = textAt(call_id, `${at}.call_id`);
    const called = this.#names.of(textAt(name, `${at}.name`), within);
    this.#conversation.assistant(at).addCall({ id, name: called, args, at });
  }
}

const OUTPUTS = ['function_call_output', 'custom_tool_call_output'];

/** The type is optional for messages and item references. */
function typeOf({ id, role, type }: JsonObject, at: string): string {
  if (type !== undefined && type !== null) return textAt(type, `${at}.type`);
  if (role !== undefined) return 'message';
  if (id !== undefined) return 'item_reference';
  throw invalidField(`${at}.type`, 'must be a string');
}

/** @throws GatewayError 400 for what Chat Completions cannot express */
export function convertResponsesItems(
  reader: FieldReader,
  { input, instructions }: JsonObject,
  conversion: Conversion,
): JsonObject[] {
  const items = new ItemsReader(reader, conversion);
  if (instructions !== undefined) items.instructions(textAt(instructions, 'instructions'));
  if (typeof input === 'string') items.add({ role: 'user', content: input }, 'input');
  else
    for (const [index, item] of objectsAt(input ?? [], 'input').entries()) items.add(item, `input[${index}]`);
  const messages = items.end();
  if (messages.length === 0)
    throw invalidField('input', 'must be a text, or have an item that says something');
  return messages;
}
