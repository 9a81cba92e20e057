/**
 * The answers of every endpoint. The OpenAPI document is made of these. Those of GET /v1/models and
 * /v1/status are in the folder above.
 */
export {
  type ChatCompletion,
  type ChatCompletionChunk,
  chatCompletion,
  chatCompletionChunk,
} from './chat-completions.ts';
export { type EmbeddingList, embeddingList } from './embeddings.ts';
export { type Health, health } from './health.ts';
export { type ImageEvent, type ImageList, imageEvent, imageList } from './images.ts';
export {
  type MessagesModel,
  type MessagesModelList,
  message,
  messageEvent,
  messagesModel,
  messagesModelList,
  tokenCount,
} from './messages.ts';
export { type RerankResult, rerankResult } from './rerank.ts';
export { deletedResponse, response, responseEvent, responseInputItems } from './responses.ts';
export { type SpeechEvent, speechEvent } from './speech.ts';
export {
  type Transcription,
  type TranscriptionEvent,
  transcription,
  transcriptionEvent,
  type VerboseTranscription,
  verboseTranscription,
} from './transcriptions.ts';
export {
  billingReason,
  type UsageReceipt,
  type UsageSummary,
  usageReceipt,
  usageScope,
  usageSource,
  usageSummary,
} from './usage.ts';
