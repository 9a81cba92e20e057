import { isObject, type JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { flagAt, listAt, textAt } from '../../translation/field-values.ts';
import { GEMINI_FORMAT } from '../../translation/reasoning-format.ts';
import { ignoreMembersOfOtherRoles } from '../shared/ignore-members-of-other-roles.ts';
import { convertContentToGemini, imageParts, textParts } from './convert-content-to-gemini.ts';
import type { GeminiModelTraits } from './gemini-model-traits.ts';
import { GeminiToolCalls } from './gemini-tool-calls.ts';

interface Turn {
  role: 'user' | 'model';
  parts: JsonObject[];
}

export interface Conversation {
  system: JsonObject[];
  contents: Turn[];
}

/** Google refuses calls in a first turn of the model. */
const BEGINNING = '(The assistant speaks first.)';

/** Builds what Google requires: a separate system prompt, alternating turns, tool results first in theirs. */
export function convertChatMessagesToGemini(
  messages: unknown,
  traits: GeminiModelTraits,
  reader: FieldReader,
): Conversation {
  const writer = new ConversationWriter(traits, reader);
  for (const [index, message] of listAt(messages, 'messages').entries()) {
    writer.add(message, `messages[${index}]`);
  }
  return writer.end();
}

class ConversationWriter {
  readonly #reader: FieldReader;
  readonly #calls: GeminiToolCalls;
  readonly #system: JsonObject[] = [];
  readonly #turns: Turn[] = [];
  /** User parts that wait for tool results, which must stand before them. */
  #held: JsonObject[] = [];

  constructor(traits: GeminiModelTraits, reader: FieldReader) {
    this.#reader = reader;
    this.#calls = new GeminiToolCalls(reader, traits.needsSignatures);
  }

  add(given: unknown, path: string): void {
    const message = this.#reader.members(given, path);
    ignoreMembersOfOtherRoles(message, this.#reader);
    const at = `${path}.content`;
    switch (message.role) {
      case 'system':
      case 'developer':
        this.#system.push(...convertContentToGemini(message.content, at, 'system', this.#reader));
        return;
      case 'user':
        this.#held.push(...convertContentToGemini(message.content, at, 'user', this.#reader));
        return;
      case 'assistant':
        this.#addAssistant(message, path);
        return;
      case 'tool':
      case 'function':
        this.#result(message, path);
        return;
    }
    throw this.#reader.refusal(`${path}.role`, 'takes no messages of this role');
  }

  end(): Conversation {
    this.#endUser();
    if (this.#turns[0]?.role === 'model') this.#turns.unshift({ role: 'user', parts: textParts(BEGINNING) });
    if (this.#turns.length > 0) return { system: this.#system, contents: this.#turns };
    if (this.#system.length === 0)
      throw this.#reader.refusal('messages', 'takes no messages without any content');
    // Many clients send only a system prompt.
    return { system: [], contents: [{ role: 'user', parts: this.#system }] };
  }

  #addAssistant(message: JsonObject, path: string): void {
    this.#endUser();
    const { content, function_call, images, refusal, tool_calls } = message;
    const output = convertContentToGemini(content, `${path}.content`, 'model', this.#reader);
    if (refusal !== undefined) output.push(...textParts(textAt(refusal, `${path}.refusal`)));
    output.push(...imageParts(images, `${path}.images`, this.#reader));
    const calls = listAt(tool_calls ?? [], `${path}.tool_calls`).map((call, index) =>
      this.#calls.partOf(call, `${path}.tool_calls[${index}]`),
    );
    if (function_call !== undefined) {
      calls.push(this.#calls.legacyPartOf(function_call, `${path}.function_call`));
    }
    const { signatures, thoughts } = this.#reasoning(message, path);
    if (output.length + calls.length === 0) {
      if (signatures.length + thoughts.length > 0) this.#reader.ignore('messages[].reasoning_details');
      return;
    }
    this.#addTurn('model', [...thoughts, ...signed(output, signatures), ...calls]);
  }

  /** Leaves out thoughts without a signature: Google does not need them back. */
  #reasoning(
    { reasoning_content, reasoning_details }: JsonObject,
    path: string,
  ): { thoughts: JsonObject[]; signatures: string[] } {
    const thoughts: JsonObject[] = [];
    const signatures: string[] = [];
    for (const detail of listAt(reasoning_details ?? [], `${path}.reasoning_details`)) {
      const { data, format, signature, text, type } = isObject(detail) ? detail : {};
      const isOwn = format === GEMINI_FORMAT;
      if (isOwn && type === 'reasoning.encrypted' && isText(data)) signatures.push(data);
      else if (isOwn && type === 'reasoning.text' && isText(signature)) {
        thoughts.push({ text: isText(text) ? text : '', thought: true, thoughtSignature: signature });
      } else this.#reader.ignore('messages[].reasoning_details');
    }
    if (isText(reasoning_content) && thoughts.length === 0) {
      this.#reader.ignore('messages[].reasoning_content');
    }
    return { thoughts, signatures };
  }

  #result(message: JsonObject, path: string): void {
    const parts = convertContentToGemini(message.content, `${path}.content`, 'tool', this.#reader);
    const texts = parts.flatMap(({ text }) => (typeof text === 'string' ? text : []));
    const media = parts.filter(({ text }) => text === undefined);
    const isError = flagAt(message.is_error ?? false, `${path}.is_error`);
    const response = { [isError ? 'error' : 'output']: texts.join('\n\n') };
    if (message.role === 'function') this.#calls.legacyAnswer(`${path}.role`, response);
    else this.#calls.answer(message.tool_call_id, `${path}.tool_call_id`, response);
    if (media.length === 0) return;
    // Only the newest models take images in a result.
    const name = message.role === 'function' ? '' : ` ${String(message.tool_call_id)}`;
    this.#held.push({ text: `What the tool call${name} has returned besides text:` }, ...media);
  }

  #endUser(): void {
    const parts = [...this.#calls.takeResults(), ...this.#held];
    this.#held = [];
    if (parts.length > 0) this.#addTurn('user', parts);
  }

  #addTurn(role: Turn['role'], parts: JsonObject[]): void {
    const last = this.#turns.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else this.#turns.push({ role, parts });
  }
}

/** Puts the first signature on the last part, and further ones on empty texts, as Google sent them. */
function signed(output: readonly JsonObject[], signatures: readonly string[]): JsonObject[] {
  const [first, ...others] = signatures;
  if (first === undefined) return [...output];
  const alone = others.map((thoughtSignature) => ({ text: '', thoughtSignature }));
  const last = output.at(-1);
  if (last === undefined) return [{ text: '', thoughtSignature: first }, ...alone];
  return [...output.slice(0, -1), { ...last, thoughtSignature: first }, ...alone];
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
