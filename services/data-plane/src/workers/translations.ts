import {
  COMPLETIONS,
  COMPLETIONS_FROM_MESSAGES,
  COMPLETIONS_FROM_RESPONSES,
  MESSAGES_WITHOUT_KEPT,
  RESPONSES_WITHOUT_KEPT,
} from '../dialects/translations.ts';
import { MESSAGES_FROM_COMPLETIONS } from '../providers/anthropic/request/messages-translation.ts';
import { CLAUDE_FROM_COMPLETIONS } from '../providers/bedrock/claude/claude-translation.ts';
import { CONVERSE_FROM_COMPLETIONS } from '../providers/bedrock/converse/converse-translation.ts';
import { BEDROCK_EMBED_FROM_EMBEDDINGS } from '../providers/bedrock/embeddings/cohere-translation.ts';
import { TITAN_FROM_EMBEDDINGS } from '../providers/bedrock/embeddings/titan-translation.ts';
import { CANVAS_FROM_IMAGES } from '../providers/bedrock/images/images-translation.ts';
import { INVOKED_RERANK, RERANK_OF_AGENTS } from '../providers/bedrock/rerank/rerank-translations.ts';
import { COHERE_CHAT_FROM_COMPLETIONS } from '../providers/cohere/request/chat-translation.ts';
import { COHERE_EMBED_FROM_EMBEDDINGS } from '../providers/cohere/request/embed-translation.ts';
import { COHERE_RERANK_FROM_RERANK } from '../providers/cohere/request/rerank-translation.ts';
import { CONTENT_BATCH_FROM_EMBEDDINGS } from '../providers/gemini/embeddings/embeddings-translation.ts';
import {
  CONTENT_FROM_IMAGES,
  PREDICTION_FROM_IMAGES,
} from '../providers/gemini/images/images-translations.ts';
import {
  CONTENT_FROM_COMPLETIONS,
  COUNT_FROM_COMPLETIONS,
} from '../providers/gemini/request/content-translation.ts';
import { CONTENT_FROM_SPEECH } from '../providers/gemini/speech/speech-translation.ts';
import { VERTEX_CLAUDE_FROM_COMPLETIONS } from '../providers/vertex/claude/claude-translation.ts';
import { COUNT_FROM_COMPLETIONS as VERTEX_COUNT } from '../providers/vertex/count-translation.ts';
import { VERTEX_EMBEDDINGS } from '../providers/vertex/embeddings/embeddings-translation.ts';
import type { Translation } from '../translation/translation.ts';

/** Every translation of a request, by name: a function cannot be sent to another thread, but its name can. */
const TRANSLATIONS: ReadonlyMap<string, Translation> = new Map(
  [
    COMPLETIONS,
    COMPLETIONS_FROM_MESSAGES,
    COMPLETIONS_FROM_RESPONSES,
    MESSAGES_WITHOUT_KEPT,
    RESPONSES_WITHOUT_KEPT,
    MESSAGES_FROM_COMPLETIONS,
    CLAUDE_FROM_COMPLETIONS,
    CONVERSE_FROM_COMPLETIONS,
    CONTENT_FROM_COMPLETIONS,
    COUNT_FROM_COMPLETIONS,
    CONTENT_BATCH_FROM_EMBEDDINGS,
    COHERE_CHAT_FROM_COMPLETIONS,
    COHERE_EMBED_FROM_EMBEDDINGS,
    COHERE_RERANK_FROM_RERANK,
    TITAN_FROM_EMBEDDINGS,
    BEDROCK_EMBED_FROM_EMBEDDINGS,
    INVOKED_RERANK,
    RERANK_OF_AGENTS,
    CANVAS_FROM_IMAGES,
    CONTENT_FROM_IMAGES,
    PREDICTION_FROM_IMAGES,
    CONTENT_FROM_SPEECH,
    VERTEX_CLAUDE_FROM_COMPLETIONS,
    VERTEX_COUNT,
    VERTEX_EMBEDDINGS,
  ].map((one) => [one.name, one]),
);

/** @throws Error when one is not listed above */
export function translationsNamed(names: readonly string[]): Translation[] {
  return names.map((name) => {
    const translation = TRANSLATIONS.get(name);
    if (translation === undefined) throw new Error(`there is no translation ${name}`);
    return translation;
  });
}
