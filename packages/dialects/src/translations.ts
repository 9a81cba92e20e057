import {
  CHAT_TO_CHAT,
  MESSAGES_FOR_CLOUDS,
  MESSAGES_TO_CHAT,
  MESSAGES_WITHOUT_CARRIED_STATE,
  RESPONSES_TO_CHAT,
  RESPONSES_WITHOUT_CARRIED_STATE,
} from './callers/caller-translations.ts';
import { CHAT_TO_ANTHROPIC } from './providers/anthropic/convert-chat-to-anthropic.ts';
import { CHAT_TO_BEDROCK_CLAUDE } from './providers/bedrock/chat-to-bedrock-claude.ts';
import { CHAT_TO_CONVERSE } from './providers/bedrock/convert-chat-to-converse.ts';
import { EMBEDDINGS_TO_BEDROCK_COHERE } from './providers/bedrock/embeddings-to-bedrock-cohere.ts';
import { EMBEDDINGS_TO_TITAN } from './providers/bedrock/embeddings-to-titan.ts';
import { IMAGES_TO_CANVAS } from './providers/bedrock/images-to-canvas.ts';
import { RERANK_TO_AGENTS, RERANK_TO_INVOKE_MODEL } from './providers/bedrock/rerank-to-bedrock.ts';
import { CHAT_TO_COHERE } from './providers/cohere/convert-chat-to-cohere.ts';
import { EMBEDDINGS_TO_COHERE } from './providers/cohere/embeddings-to-cohere.ts';
import { RERANK_TO_COHERE } from './providers/cohere/rerank-to-cohere.ts';
import {
  CHAT_TO_GEMINI,
  CHAT_TO_GEMINI_COUNT,
  CHAT_TO_VERTEX_GEMINI,
} from './providers/gemini/convert-chat-to-gemini.ts';
import { EMBEDDINGS_TO_GEMINI } from './providers/gemini/embeddings-to-gemini.ts';
import { IMAGES_TO_GEMINI, IMAGES_TO_IMAGEN } from './providers/gemini/images-to-gemini.ts';
import { SPEECH_TO_GEMINI } from './providers/gemini/speech-to-gemini.ts';
import { chatWithTraitsNamed } from './providers/openai-compatible/chat-with-traits.ts';
import { CHAT_TO_OPENAI_RESPONSES } from './providers/openai-compatible/convert-chat-to-openai-responses.ts';
import { CHAT_TO_VERTEX_CLAUDE } from './providers/vertex/chat-to-vertex-claude.ts';
import { CHAT_TO_VERTEX_COUNT } from './providers/vertex/chat-to-vertex-count.ts';
import { EMBEDDINGS_TO_VERTEX } from './providers/vertex/embeddings-to-vertex.ts';
import type { Translation } from './translation/translation.ts';

/** Translations by name: worker threads get the name, because functions cannot be sent. */
const TRANSLATIONS: ReadonlyMap<string, Translation> = new Map(
  [
    CHAT_TO_CHAT,
    MESSAGES_TO_CHAT,
    RESPONSES_TO_CHAT,
    MESSAGES_WITHOUT_CARRIED_STATE,
    MESSAGES_FOR_CLOUDS,
    RESPONSES_WITHOUT_CARRIED_STATE,
    CHAT_TO_ANTHROPIC,
    CHAT_TO_BEDROCK_CLAUDE,
    CHAT_TO_CONVERSE,
    CHAT_TO_OPENAI_RESPONSES,
    CHAT_TO_GEMINI,
    CHAT_TO_GEMINI_COUNT,
    CHAT_TO_VERTEX_GEMINI,
    EMBEDDINGS_TO_GEMINI,
    CHAT_TO_COHERE,
    EMBEDDINGS_TO_COHERE,
    RERANK_TO_COHERE,
    EMBEDDINGS_TO_TITAN,
    EMBEDDINGS_TO_BEDROCK_COHERE,
    RERANK_TO_INVOKE_MODEL,
    RERANK_TO_AGENTS,
    IMAGES_TO_CANVAS,
    IMAGES_TO_GEMINI,
    IMAGES_TO_IMAGEN,
    SPEECH_TO_GEMINI,
    CHAT_TO_VERTEX_CLAUDE,
    CHAT_TO_VERTEX_COUNT,
    EMBEDDINGS_TO_VERTEX,
  ].map((one) => [one.name, one]),
);

export function findTranslations(names: readonly string[]): Translation[] {
  return names.map((name) => {
    const translation = TRANSLATIONS.get(name) ?? chatWithTraitsNamed(name);
    if (translation === undefined) throw new Error(`there is no translation ${name}`);
    return translation;
  });
}
