/**
 * The answers of every endpoint. The OpenAPI document is made of these. Those of GET /v1/models and
 * /v1/status are in the folder above.
 */
export * from './chat-completions.ts';
export * from './embeddings.ts';
export * from './health.ts';
export * from './images.ts';
export * from './messages.ts';
export * from './rerank.ts';
export * from './responses.ts';
export * from './speech.ts';
export * from './transcriptions.ts';
export * from './usage.ts';
