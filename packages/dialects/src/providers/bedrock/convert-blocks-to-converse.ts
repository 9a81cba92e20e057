import { isObject, type JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { converseDocumentName } from './converse-document-name.ts';
import type { ConverseModelTraits } from './converse-model-traits.ts';
import { ConverseToolUseIds } from './converse-tool-use-ids.ts';

/** Added to a document: Converse requires a text beside it. */
const DOCUMENT_TEXT = { text: 'See the document.' };

export class ConverseBlocks {
  readonly #traits: ConverseModelTraits;
  readonly #reader: FieldReader;
  readonly #ids = new ConverseToolUseIds();
  readonly #names = new Set<string>();

  constructor(traits: ConverseModelTraits, reader: FieldReader) {
    this.#traits = traits;
    this.#reader = reader;
  }

  content(blocks: readonly JsonObject[]): JsonObject[] {
    const converted = blocks.flatMap((block) => [
      this.#block(block),
      ...this.cachePoint(block.cache_control),
    ]);
    const hasDocument = converted.some((block) => 'document' in block);
    return hasDocument && !converted.some((block) => 'text' in block)
      ? [DOCUMENT_TEXT, ...converted]
      : converted;
  }

  cachePoint(cacheControl: unknown): JsonObject[] {
    if (cacheControl === undefined) return [];
    if (this.#traits.cachePoints === 'none') {
      this.#reader.ignore('cache_control');
      return [];
    }
    const ttl = isObject(cacheControl) && cacheControl.ttl === '1h' ? { ttl: '1h' } : {};
    return [{ cachePoint: { type: 'default', ...ttl } }];
  }

  /** A cache mark of the whole request belongs behind its last block. */
  addFinalCachePoint(content: JsonObject[] | undefined, cacheControl: unknown): void {
    content?.push(...this.cachePoint(cacheControl));
  }

  #block(block: JsonObject): JsonObject {
    switch (block.type) {
      case 'image':
        return { image: image(sourceIn(block)) };
      case 'document':
        return { document: this.#document(block) };
      case 'thinking':
        return {
          reasoningContent: { reasoningText: { text: block.thinking, signature: block.signature } },
        };
      case 'redacted_thinking':
        return { reasoningContent: { redactedContent: block.data } };
      case 'tool_use': {
        const { id, input, name } = block;
        return { toolUse: { toolUseId: this.#ids.of(id), name, input } };
      }
      case 'tool_result':
        return { toolResult: this.#result(block) };
      default:
        return { text: block.text };
    }
  }

  #result({ content, is_error, tool_use_id }: JsonObject): JsonObject {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    const converted = Array.isArray(blocks) ? blocks.filter(isObject).map((block) => this.#block(block)) : [];
    return {
      toolUseId: this.#ids.of(tool_use_id),
      // Converse refuses an empty result.
      content: converted.length === 0 ? [{ json: {} }] : converted,
      ...(is_error === true ? { status: 'error' } : {}),
    };
  }

  #document(block: JsonObject): JsonObject {
    const { data, media_type, type } = sourceIn(block);
    const isText = type === 'text';
    const name = converseDocumentName(typeof block.title === 'string' ? block.title : '', this.#names);
    const bytes = isText && typeof data === 'string' ? Buffer.from(data).toString('base64') : data;
    return { name, format: media_type === 'application/pdf' ? 'pdf' : 'txt', source: { bytes } };
  }
}

function image({ data, media_type }: JsonObject): JsonObject {
  return { format: String(media_type).slice('image/'.length), source: { bytes: data } };
}

function sourceIn({ source }: JsonObject): JsonObject {
  return isObject(source) ? source : {};
}
