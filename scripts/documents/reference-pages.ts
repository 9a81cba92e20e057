import { type FieldRules, VERDICTS } from '@model-gateway/dialects';
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
  OPENAI_RESPONSES_FIELDS,
  RESPONSES_FIELDS,
  TITAN_FIELDS,
  VERTEX_EMBEDDING_FIELDS,
} from '@model-gateway/dialects/fields';
import { failureTable, featureMatrix, fieldTable, presetsTable, traitsTable } from './reference-tables.ts';

const NOTICE = '<!-- Written from the code by `npm test -- scripts/documents -u`. Do not edit. -->';

/** Tables of fields by page and heading: the caller's API and the provider's. */
const FIELD_PAGES: Readonly<Record<string, Readonly<Record<string, FieldRules>>>> = {
  'fields-of-messages': { 'Messages to Chat Completions': MESSAGES_FIELDS },
  'fields-of-responses': { 'Responses to Chat Completions': RESPONSES_FIELDS },
  'fields-for-anthropic': { 'Chat Completions to Messages': ANTHROPIC_FIELDS },
  'fields-for-gemini': {
    'Chat Completions to generateContent': GEMINI_FIELDS,
    'Embeddings to batchEmbedContents': GEMINI_EMBEDDING_FIELDS,
    'Images to Gemini and Imagen': GEMINI_IMAGE_FIELDS,
    'Speech to Gemini': GEMINI_SPEECH_FIELDS,
  },
  'fields-for-vertex': { 'Embeddings to Vertex AI': VERTEX_EMBEDDING_FIELDS },
  'fields-for-bedrock': {
    'Chat Completions to Converse': CONVERSE_FIELDS,
    'Embeddings to Titan': TITAN_FIELDS,
    'Rerank to Bedrock': BEDROCK_RERANK_FIELDS,
    'Images to Bedrock': BEDROCK_IMAGE_FIELDS,
  },
  'fields-for-responses': {
    'Chat Completions to Responses': OPENAI_RESPONSES_FIELDS,
  },
  'fields-for-cohere': {
    'Chat Completions to Cohere': COHERE_FIELDS,
    'Embeddings to Cohere': COHERE_EMBED_FIELDS,
    'Rerank to Cohere': COHERE_RERANK_FIELDS,
  },
};

const FIELDS_INTRODUCTION = `Used when your API is not the provider's API. Other fields are left out and named in \`x-gateway-ignored\`; other types
of blocks, items and tools (in brackets) get 400. Paid models also refuse
[fields that change the price](../billing.md#fields-that-change-the-price).`;

const FAILURES_INTRODUCTION = `The rules until you have received part of a response. The columns say which error you get if nothing else can
answer, what is tried next and in which order, and how the circuit breaker, the log and
[\`billing_reason\`](../billing.md#what-is-charged) count the attempt. A rejection (\`upstream_rejected\`) keeps the
provider's own status.`;

const TRAITS_INTRODUCTION = `Servers with OpenAI's API differ in what they accept. The gateway changes translated requests accordingly, and
requests of Chat Completions only if they contain something that the server refuses. Everything that is removed is named in
\`x-gateway-ignored\`. Choose a preset with [\`traits\`](../catalog-file.md#providers) in the catalog, or single traits:
\`traits: { preset: vllm, stop_max: 4 }\`.`;

const MATRIX_INTRODUCTION = `Each cell is a test against a simulated provider that is as strict as the real one
(\`services/data-plane/tests/matrix/matrix.test.ts\`). [providers.md](../providers.md#what-works-where) explains the
rows.`;

/** The generated pages of `docs/reference`, by file name. */
export function referencePages(): Map<string, string> {
  const pages = new Map<string, string>();
  const add = (name: string, title: string, ...parts: readonly string[]) =>
    pages.set(`${name}.md`, `${[`# ${title}`, NOTICE, ...parts].join('\n\n')}\n`);
  for (const [name, tables] of Object.entries(FIELD_PAGES)) {
    const sections = Object.entries(tables).map(
      ([heading, rules]) => `## ${heading}\n\n${fieldTable(rules)}`,
    );
    add(name, titleOf(name), FIELDS_INTRODUCTION, ...sections);
  }
  add(
    'provider-traits',
    'Traits of OpenAI-compatible servers',
    TRAITS_INTRODUCTION,
    '## Presets',
    presetsTable(),
    '## Traits',
    traitsTable(),
  );
  add('provider-failures', 'Failures of providers', FAILURES_INTRODUCTION, failureTable(VERDICTS));
  add('feature-matrix', 'What works at which provider', MATRIX_INTRODUCTION, featureMatrix());
  return pages;
}

/** Returns `Fields for Gemini` for `fields-for-gemini`. */
function titleOf(name: string): string {
  return name.replaceAll('-', ' ').replaceAll(/^.|\b\w(?=\w*$)/g, (letter) => letter.toUpperCase());
}
