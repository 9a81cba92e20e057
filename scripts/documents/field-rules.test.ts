import { describe, expect, it } from 'vitest';
import { MESSAGES_FIELDS as MESSAGES_TO_CHAT } from '../../services/data-plane/src/dialects/messages/request/fields.ts';
import { RESPONSES_FIELDS as RESPONSES_TO_CHAT } from '../../services/data-plane/src/dialects/responses/request/fields.ts';
import { ANTHROPIC_FIELDS as CHAT_TO_MESSAGES } from '../../services/data-plane/src/providers/anthropic/request/fields.ts';
import { CONVERSE_FIELDS as CHAT_TO_CONVERSE } from '../../services/data-plane/src/providers/bedrock/converse/fields.ts';
import { TITAN_FIELDS as EMBEDDINGS_TO_TITAN } from '../../services/data-plane/src/providers/bedrock/embeddings/titan-fields.ts';
import { BEDROCK_IMAGE_FIELDS as IMAGES_TO_BEDROCK } from '../../services/data-plane/src/providers/bedrock/images/fields.ts';
import { BEDROCK_RERANK_FIELDS as RERANK_TO_BEDROCK } from '../../services/data-plane/src/providers/bedrock/rerank/rerank-fields.ts';
import { COHERE_EMBED_FIELDS as EMBEDDINGS_TO_COHERE } from '../../services/data-plane/src/providers/cohere/request/embed-fields.ts';
import { COHERE_FIELDS as CHAT_TO_COHERE } from '../../services/data-plane/src/providers/cohere/request/fields.ts';
import { COHERE_RERANK_FIELDS as RERANK_TO_COHERE } from '../../services/data-plane/src/providers/cohere/request/rerank-fields.ts';
import { GEMINI_EMBEDDING_FIELDS as EMBEDDINGS_TO_GEMINI } from '../../services/data-plane/src/providers/gemini/embeddings/fields.ts';
import { GEMINI_IMAGE_FIELDS as IMAGES_TO_GEMINI } from '../../services/data-plane/src/providers/gemini/images/fields.ts';
import { GEMINI_FIELDS as CHAT_TO_GEMINI } from '../../services/data-plane/src/providers/gemini/request/fields.ts';
import { GEMINI_SPEECH_FIELDS as SPEECH_TO_GEMINI } from '../../services/data-plane/src/providers/gemini/speech/fields.ts';
import { VERTEX_EMBEDDING_FIELDS as EMBEDDINGS_TO_VERTEX } from '../../services/data-plane/src/providers/vertex/embeddings/fields.ts';
import type { FieldRules } from '../../services/data-plane/src/translation/field-rules.ts';
import { fieldTable } from './field-table.ts';
import { readPage } from './pages.ts';

/** The rules of each translator, by the page and the words with which it marks the place of their table. */
const TABLES: Readonly<Record<string, Readonly<Record<string, FieldRules>>>> = {
  'docs/wire-format.md': {
    'Chat Completions to Messages': CHAT_TO_MESSAGES,
    'Messages to Chat Completions': MESSAGES_TO_CHAT,
    'Responses to Chat Completions': RESPONSES_TO_CHAT,
  },
  'docs/providers.md': {
    'Chat Completions to generateContent': CHAT_TO_GEMINI,
    'Embeddings to batchEmbedContents': EMBEDDINGS_TO_GEMINI,
    'Images to Gemini and Imagen': IMAGES_TO_GEMINI,
    'Speech to Gemini': SPEECH_TO_GEMINI,
    'Embeddings to Vertex AI': EMBEDDINGS_TO_VERTEX,
    'Chat Completions to Converse': CHAT_TO_CONVERSE,
    'Embeddings to Titan': EMBEDDINGS_TO_TITAN,
    'Rerank to Bedrock': RERANK_TO_BEDROCK,
    'Images to Bedrock': IMAGES_TO_BEDROCK,
    'Chat Completions to Cohere': CHAT_TO_COHERE,
    'Embeddings to Cohere': EMBEDDINGS_TO_COHERE,
    'Rerank to Cohere': RERANK_TO_COHERE,
  },
};
const PLACE = /(<!-- fields: ([^(\n]+) \([^\n]+ -->\n\n).*?(?=<!-- end of fields -->)/gs;

it.each(Object.entries(TABLES))(
  '%s has what becomes of every field that is translated (-u writes it again)',
  async (path, tables) => {
    const page = readPage(path);
    const places = [...page.matchAll(PLACE)].map(([, , name]) => name);
    expect(places).toEqual(Object.keys(tables));
    const written = page.replaceAll(
      PLACE,
      (_, mark: string, name: string) => `${mark}${fieldTable(tables[name] ?? {})}\n\n`,
    );
    await expect(written).toMatchFileSnapshot(`../../${path}`);
  },
);

describe('the table of the fields that are translated', () => {
  it('has what changes the answer and is refused first, then what is ignored, then what is carried', () => {
    const rules: FieldRules = {
      metadata: { fate: 'ignored', note: 'only tags' },
      messages: { fate: 'carried', note: '`messages`' },
      'tools[].strict': { fate: 'refused', note: 'takes no a|b' },
    };
    expect(fieldTable(rules)).toBe(
      [
        '| field            | what becomes of it | as what, or why         |',
        '| ---------------- | ------------------ | ----------------------- |',
        '| `tools[].strict` | refused            | the model takes no a\\|b |',
        '| `metadata`       | ignored            | only tags               |',
        '| `messages`       | carried            | `messages`              |',
      ].join('\n'),
    );
  });
});
