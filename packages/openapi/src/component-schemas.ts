import * as shared from '@model-gateway/shared';
import type { ZodType } from 'zod';

/**
 * The names under which the document refers to its schemas. For a request it shows what a client sends, not
 * what the gateway keeps of it.
 */
export const COMPONENT_SCHEMAS: Record<string, ZodType> = {
  ChatCompletionRequest: shared.chatCompletionsRequest.in,
  ChatCompletion: shared.chatCompletion,
  ChatCompletionChunk: shared.chatCompletionChunk,
  MessagesRequest: shared.messagesRequest.in,
  Message: shared.message,
  MessageEvent: shared.messageEvent,
  CountTokensRequest: shared.countTokensRequest.in,
  TokenCount: shared.tokenCount,
  ResponsesRequest: shared.responsesRequest.in,
  Response: shared.response,
  ResponseEvent: shared.responseEvent,
  DeletedResponse: shared.deletedResponse,
  ResponseInputItems: shared.responseInputItems,
  EmbeddingsRequest: shared.embeddingsRequest.in,
  EmbeddingList: shared.embeddingList,
  RerankRequest: shared.rerankRequest.in,
  RerankResult: shared.rerankResult,
  ImagesRequest: shared.imagesRequest.in,
  ImageList: shared.imageList,
  ImageEvent: shared.imageEvent,
  SpeechRequest: shared.speechRequest.in,
  SpeechEvent: shared.speechEvent,
  TranscriptionRequest: shared.transcriptionRequest.in,
  Transcription: shared.transcription,
  VerboseTranscription: shared.verboseTranscription,
  TranscriptionEvent: shared.transcriptionEvent,
  Model: shared.modelObject,
  ModelList: shared.modelList,
  MessagesModel: shared.messagesModel,
  MessagesModelList: shared.messagesModelList,
  Status: shared.statusSummary,
  ModelStatusList: shared.modelStatusList,
  UsageSummary: shared.usageSummary,
  UsageReceipt: shared.usageReceipt,
  Health: shared.health,
  Error: shared.errorEnvelope,
  BalanceError: shared.balanceErrorEnvelope,
  MessagesError: shared.messagesErrorEnvelope,
  MessagesBalanceError: shared.messagesBalanceErrorEnvelope,
  MessagesProviderError: shared.messagesProviderError,
};
