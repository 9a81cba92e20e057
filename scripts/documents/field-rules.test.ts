import type { FieldRules } from '@model-gateway/dialects';
import {
  ANTHROPIC_FIELDS,
  BEDROCK_IMAGE_FIELDS,
  BEDROCK_RERANK_FIELDS,
  COHERE_EMBED_FIELDS,
  COHERE_FIELDS,
  COHERE_RERANK_FIELDS,
  CONVERSE_FIELDS,
  GEMINI_EMBEDDING_FIELDS,
  GEMINI_FIELDS,
  GEMINI_IMAGE_FIELDS,
  GEMINI_SPEECH_FIELDS,
  MESSAGES_FIELDS,
  RESPONSES_FIELDS,
  TITAN_FIELDS,
  VERTEX_EMBEDDING_FIELDS,
} from '@model-gateway/dialects/fields';
import { describe, expect, it } from 'vitest';
import { fieldTable } from './field-table.ts';
import { readPage } from './pages.ts';

/** The rules of each translator, by the page and the words with which it marks the place of their table. */
const TABLES: Readonly<Record<string, Readonly<Record<string, FieldRules>>>> = {
  'docs/wire-format.md': {
    'Chat Completions to Messages': ANTHROPIC_FIELDS,
    'Messages to Chat Completions': MESSAGES_FIELDS,
    'Responses to Chat Completions': RESPONSES_FIELDS,
  },
  'docs/providers.md': {
    'Chat Completions to generateContent': GEMINI_FIELDS,
    'Embeddings to batchEmbedContents': GEMINI_EMBEDDING_FIELDS,
    'Images to Gemini and Imagen': GEMINI_IMAGE_FIELDS,
    'Speech to Gemini': GEMINI_SPEECH_FIELDS,
    'Embeddings to Vertex AI': VERTEX_EMBEDDING_FIELDS,
    'Chat Completions to Converse': CONVERSE_FIELDS,
    'Embeddings to Titan': TITAN_FIELDS,
    'Rerank to Bedrock': BEDROCK_RERANK_FIELDS,
    'Images to Bedrock': BEDROCK_IMAGE_FIELDS,
    'Chat Completions to Cohere': COHERE_FIELDS,
    'Embeddings to Cohere': COHERE_EMBED_FIELDS,
    'Rerank to Cohere': COHERE_RERANK_FIELDS,
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
