import { createHash } from 'node:crypto';
import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { listAt, textAt } from '../../translation/field-values.ts';
import { OPENAI_FORMAT } from '../../translation/reasoning-format.ts';
import { gatherReasoningDetails } from '../shared/gather-reasoning-details.ts';

/** Source: the schema of `call_id` in https://github.com/openai/openai-openapi. */
const MAX_CALL_ID = 64;
const CUSTOM_OUTPUT = 'custom_tool_call_output';

export function convertChatMessagesToInput(messages: unknown, reader: FieldReader): JsonObject[] {
  const writer = new ItemWriter(reader);
  return listAt(messages, 'messages').flatMap((message, index) =>
    writer.write(message, `messages[${index}]`),
  );
}

class ItemWriter {
  readonly #reader: FieldReader;
  /** Ids of calls of custom tools, whose outputs have another type. */
  readonly #customCalls = new Set<string>();

  constructor(reader: FieldReader) {
    this.#reader = reader;
  }

  write(given: unknown, path: string): JsonObject[] {
    const message = this.#reader.members(given, path);
    const { content, role } = message;
    const at = `${path}.content`;
    switch (role) {
      case 'system':
      case 'developer':
        return messageFrom(role, this.#input(content, at, false));
      case 'user':
        return messageFrom(role, this.#input(content, at, true));
      case 'assistant':
        return this.#turn(message, path);
      case 'tool':
        return [this.#output(message, path)];
    }
    throw this.#reader.refusal(`${path}.role`, 'takes no messages of this role');
  }

  #turn(message: JsonObject, path: string): JsonObject[] {
    const calls = listAt(message.tool_calls ?? [], `${path}.tool_calls`).map((call, index) =>
      this.#call(call, `${path}.tool_calls[${index}]`),
    );
    return [
      ...this.#reasoning(message, path),
      ...messageFrom('assistant', this.#assistantParts(message, path)),
      ...calls,
    ];
  }

  /** Ignores signatures of other providers, by name. */
  #reasoning({ reasoning_content, reasoning_details }: JsonObject, path: string): JsonObject[] {
    const details = gatherReasoningDetails(listAt(reasoning_details ?? [], `${path}.reasoning_details`));
    const own = details.filter(({ format, signature }) => format === OPENAI_FORMAT && signature !== '');
    if (own.length < details.length) this.#reader.ignore('messages[].reasoning_details');
    if (own.length === 0 && reasoning_content !== undefined && reasoning_content !== '')
      this.#reader.ignore('messages[].reasoning_content');
    return own.map(({ signature, text }) => ({
      type: 'reasoning',
      summary: text === '' ? [] : [{ type: 'summary_text', text }],
      encrypted_content: signature,
    }));
  }

  #assistantParts({ content, refusal }: JsonObject, path: string): JsonObject[] {
    const parts =
      typeof content === 'string'
        ? outputText(content)
        : listAt(content ?? [], `${path}.content`).flatMap((part, index) =>
            this.#assistantPart(part, `${path}.content[${index}]`),
          );
    return refusal === undefined
      ? parts
      : [...parts, { type: 'refusal', refusal: textAt(refusal, `${path}.refusal`) }];
  }

  #assistantPart(given: unknown, path: string): JsonObject[] {
    const { refusal, text, type } = this.#reader.members(given, path);
    if (type === 'text') return outputText(textAt(text, `${path}.text`));
    if (type === 'refusal') return [{ type, refusal: textAt(refusal, `${path}.refusal`) }];
    throw this.#reader.refusal(`${path}.type`, 'takes no such part in a message of this role');
  }

  #input(content: unknown, path: string, takesMedia: boolean): JsonObject[] {
    if (typeof content === 'string') return inputText(content);
    return listAt(content ?? [], path).flatMap((part, index) =>
      this.#inputPart(part, `${path}[${index}]`, takesMedia),
    );
  }

  #inputPart(given: unknown, path: string, takesMedia: boolean): JsonObject[] {
    const part = this.#reader.members(given, path);
    if (part.type === 'text') return inputText(textAt(part.text, `${path}.text`));
    if (part.type === 'image_url' && takesMedia) return [this.#picture(part.image_url, `${path}.image_url`)];
    if (part.type === 'file' && takesMedia)
      return [{ type: 'input_file', ...this.#reader.members(part.file, `${path}.file`) }];
    throw this.#reader.refusal(`${path}.type`, 'takes no such part in a message of this role');
  }

  #picture(given: unknown, path: string): JsonObject {
    // Some clients send only the URL.
    if (typeof given === 'string') return { type: 'input_image', image_url: given, detail: 'auto' };
    const { detail, url } = this.#reader.members(given, path);
    return { type: 'input_image', image_url: textAt(url, `${path}.url`), detail: detail ?? 'auto' };
  }

  #call(given: unknown, path: string): JsonObject {
    const call = this.#reader.members(given, path);
    const id = callId(textAt(call.id, `${path}.id`));
    if (call.type !== 'custom') {
      const { arguments: args, name } = this.#reader.members(call.function, `${path}.function`);
      return {
        type: 'function_call',
        call_id: id,
        name: textAt(name, `${path}.function.name`),
        arguments: textAt(args ?? '{}', `${path}.function.arguments`) || '{}',
      };
    }
    this.#customCalls.add(id);
    const { input, name } = this.#reader.members(call.custom, `${path}.custom`);
    return {
      type: 'custom_tool_call',
      call_id: id,
      name: textAt(name, `${path}.custom.name`),
      input: textAt(input ?? '', `${path}.custom.input`),
    };
  }

  #output({ content, tool_call_id }: JsonObject, path: string): JsonObject {
    const id = callId(textAt(tool_call_id, `${path}.tool_call_id`));
    const parts = typeof content === 'string' ? content : this.#input(content, `${path}.content`, true);
    return {
      type: this.#customCalls.has(id) ? CUSTOM_OUTPUT : 'function_call_output',
      call_id: id,
      output: parts.length === 0 ? '' : parts,
    };
  }
}

/** Replaces ids that are too long, which other providers send. */
function callId(id: string): string {
  if (id.length <= MAX_CALL_ID) return id;
  return `call_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}

function inputText(text: string): JsonObject[] {
  return text === '' ? [] : [{ type: 'input_text', text }];
}

function outputText(text: string): JsonObject[] {
  return text === '' ? [] : [{ type: 'output_text', text }];
}

function messageFrom(role: string, content: readonly JsonObject[]): JsonObject[] {
  return content.length === 0 ? [] : [{ type: 'message', role, content }];
}
