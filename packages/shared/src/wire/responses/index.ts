/**
 * The responses of every endpoint, for the OpenAPI document. Those of GET /v1/models and /v1/status are in
 * the folder above.
 */
export * from './cache-response.ts';
export * from './chat-completions-response.ts';
export * from './completions-response.ts';
export * from './embeddings-response.ts';
export * from './health-response.ts';
export * from './images-response.ts';
export * from './key-response.ts';
export * from './messages-response.ts';
export * from './moderations-response.ts';
export * from './rerank-response.ts';
export * from './response-object.ts';
export * from './speech-event.ts';
export * from './transcriptions-response.ts';
export * from './usage-response.ts';
