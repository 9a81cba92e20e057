/** Field rules by caller API and provider: the tables of docs/reference. */
export { MESSAGES_FIELDS } from './callers/messages/messages-fields.ts';
export { RESPONSES_FIELDS } from './callers/responses/responses-fields.ts';
export { ANTHROPIC_FIELDS } from './providers/anthropic/anthropic-fields.ts';
export { CONVERSE_FIELDS } from './providers/bedrock/converse-fields.ts';
export { TITAN_FIELDS } from './providers/bedrock/embeddings-to-titan.ts';
export { BEDROCK_IMAGE_FIELDS } from './providers/bedrock/images-to-canvas.ts';
export { BEDROCK_RERANK_FIELDS } from './providers/bedrock/rerank-to-bedrock.ts';
export { COHERE_FIELDS } from './providers/cohere/cohere-fields.ts';
export { COHERE_EMBED_FIELDS } from './providers/cohere/embeddings-to-cohere.ts';
export { COHERE_RERANK_FIELDS } from './providers/cohere/rerank-to-cohere.ts';
export { GEMINI_EMBEDDING_FIELDS } from './providers/gemini/embeddings-to-gemini.ts';
export { GEMINI_FIELDS } from './providers/gemini/gemini-fields.ts';
export { GEMINI_IMAGE_FIELDS } from './providers/gemini/images-to-gemini.ts';
export { GEMINI_SPEECH_FIELDS } from './providers/gemini/speech-to-gemini.ts';
export { OPENAI_RESPONSES_FIELDS } from './providers/openai-compatible/openai-responses-fields.ts';
export { VERTEX_EMBEDDING_FIELDS } from './providers/vertex/embeddings-to-vertex.ts';
