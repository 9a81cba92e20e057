export {
  CHAT_TO_CHAT,
  MESSAGES_FOR_CLOUDS,
  MESSAGES_TO_CHAT,
  MESSAGES_WITHOUT_CARRIED_STATE,
  RESPONSES_TO_CHAT,
  RESPONSES_WITHOUT_CARRIED_STATE,
} from './callers/caller-translations.ts';
export { mayHoldCarriedState } from './callers/carried-state.ts';
export { ChatCompletionsWriter } from './callers/chat-completions/chat-completions-writer.ts';
export { type CheckedEvent, readEvents, writeEvent } from './callers/checked-texts/event-texts.ts';
export { findTexts } from './callers/checked-texts/find-texts.ts';
export { type RefusalEnd, refusalEnd } from './callers/checked-texts/refusal-end.ts';
export { requestTexts } from './callers/checked-texts/request-texts.ts';
export type { TextPlace, ToolCall } from './callers/checked-texts/text-place.ts';
export { asksForBeta, readBetas } from './callers/messages/messages-betas.ts';
export { readCarriedReasoning } from './callers/messages/messages-carried-reasoning.ts';
export { MessagesWriter } from './callers/messages/messages-writer.ts';
export { ResponseObject } from './callers/responses/responses-object.ts';
export { type IdSealer, ResponsesWriter } from './callers/responses/responses-writer.ts';
export { connectionFailure, proxyFailed } from './failures/connection-failure.ts';
export {
  accessRefused,
  causedByRequest,
  credentialExpired,
  credentialNotFetched,
  errorForResponse,
  isNotCounted,
  rejected,
  responseTooLong,
  type UsedCredential,
  unexpectedJson,
  upstreamTimeout,
  withRefusalReport,
} from './failures/provider-failures.ts';
export {
  reportOfFailure,
  reportStatus,
  withReportedWords,
  wrongContentType,
} from './failures/provider-report.ts';
export { type FailureKind, VERDICTS, verdictOf } from './failures/verdicts.ts';
export type { BackgroundNote } from './interfaces/background-note.ts';
export type {
  Chat,
  ChatApi,
  PassthroughBody,
  PromptToCount,
  TextCompletion,
  TranslatedBody,
} from './interfaces/chat.ts';
export type { ChatCaller } from './interfaces/chat-caller.ts';
export { BrokenEventStream, type EventFraming, MAX_EVENT_BYTES } from './interfaces/event-framing.ts';
export type { ImageEdit, WholeFile, WholeForm } from './interfaces/image-edit.ts';
export type { FormField, IncomingForm } from './interfaces/incoming-form.ts';
export type { JsonRequest } from './interfaces/json-request.ts';
export type { ProviderBody } from './interfaces/provider-body.ts';
export {
  type CallerPace,
  type CountEndpoint,
  type EndedReader,
  type EndedResponse,
  endpointOf,
  type ProviderProtocol,
  type ProviderStoredEndpoint,
  type SpeechEndpoint,
  type TextEndpoint,
  type UpstreamRequest,
} from './interfaces/provider-protocol.ts';
export type { ProviderStoredRequest } from './interfaces/provider-stored-request.ts';
export type {
  EventTranslator,
  JsonTranslator,
  LargeJsonAnswer,
  TranslatedEvents,
} from './interfaces/response-translators.ts';
export { Chunks, totalLength } from './json/chunks.ts';
export { editableMembers, editJson, membersInBytes } from './json/edit-json.ts';
export { parseExactJson, writeCanonicalJson, writeExactJson } from './json/exact-json.ts';
export type { JsonBody, ValidatedJson } from './json/json-body.ts';
export { isObject, type JsonObject, objectsIn } from './json/json-object.ts';
export { nestsTooDeeply } from './json/nests-too-deeply.ts';
export {
  type JsonNode,
  JsonOutline,
  MAX_ANSWER_DEPTH,
  type OutlineOptions,
  UnusualJson,
} from './json/outline-json.ts';
export { OutlinedResponse } from './json/outlined-response.ts';
export { plainEscapes, withPlainEscapes } from './json/plain-escapes.ts';
export { type JsonMember, scanJson, TooManyValues } from './json/scan-json.ts';
export { openAiCompatible } from './providers/openai-compatible/openai-compatible.ts';
export { providerProtocolOf } from './providers/provider-protocol-of.ts';
export { serializedBody } from './providers/shared/write-json-body.ts';
export type { FieldRule, FieldRules } from './translation/field-rules.ts';
export type { TranslatedFor, Translation } from './translation/translation.ts';
export { type WrittenJson, writeTranslated } from './translation/write-translated.ts';
export { findTranslations } from './translations.ts';
export { ChatMeter } from './usage/chat-meter.ts';
export type { CountedTurn } from './usage/counted-usage.ts';
export { DEFAULT_OUTPUT_TOKENS } from './usage/default-output.ts';
export { countInputBytes } from './usage/input-bytes.ts';
export { type CacheMark, measurePrompt, type PromptMeasure } from './usage/measure-prompt.ts';
export { estimatedPromptTokens, promptBytes } from './usage/prompt-tokens.ts';
export {
  estimatedTokens,
  isAbsurdUsage,
  type PricedModel,
  requestTextBytes,
  type Usage,
  type UsagePart,
  type UsageSource,
  usageOf,
  usageOfParts,
  withoutAbsurdUsage,
} from './usage/usage.ts';
