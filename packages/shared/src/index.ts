export { displayUnits } from './billing/display-units.ts';
export {
  type FlatPricing,
  filePricing,
  flatPricing,
  nestedPricing,
  pricingMembers,
} from './billing/flat-pricing.ts';
export { formatUsd, parseUsd, shortUsd } from './billing/money.ts';
export {
  decodeLevel,
  encodeLevel,
  type KeyOwner,
  LEVEL_KINDS,
  type LevelKind,
  type Payer,
  type PayerLevel,
  resolvePayer,
} from './billing/payer.ts';
export {
  canCost,
  costOf,
  costOfParts,
  maxCostOf,
  type Price,
  type PricedUnits,
  priceOf,
  unpricedUnits,
} from './billing/price.ts';
export {
  KNOWN_PRICES,
  METERED,
  NEEDED_PRICES,
  type Prices,
  type PriceTiers,
  type Pricing,
  prices,
  priceTiers,
  pricing,
} from './billing/pricing.ts';
export { addUnitSums, NO_UNIT_SUMS, type UnitSums } from './billing/unit-sums.ts';
export * from './billing/units.ts';
export { type Capability, capability } from './catalog/capability.ts';
export { CAPABILITY_ENDPOINTS } from './catalog/capability-endpoints.ts';
export {
  type CatalogDocument,
  type CatalogDocumentInput,
  type CatalogModel,
  type CatalogProvider,
  type CatalogVirtualModel,
  catalogDocument,
  fileOfDocument,
  type PlainCatalogInput,
} from './catalog/catalog-document.ts';
export { type Tier, tier } from './catalog/catalog-names.ts';
export { checkCatalog } from './catalog/check-catalog.ts';
export {
  type Configuration,
  type CredentialCounts,
  modelConfiguration,
  providerConfiguration,
} from './catalog/configuration.ts';
export { MEDIA_PART_TOKENS } from './catalog/model-entry.ts';
export type { NamedModel } from './catalog/model-names.ts';
export {
  KIND_CAPABILITIES,
  knownApis,
  type ProviderApi,
  type ProviderKind,
  providerKind,
} from './catalog/provider-kinds.ts';
export { OWN_PROJECT } from './catalog/provider-places.ts';
export {
  type NamedTraits,
  type ProviderTraits,
  presetTraits,
  providerTraits,
  TRAIT_DESCRIPTIONS,
  TRAIT_PRESETS,
  type TraitPresetName,
  traitsOf,
} from './catalog/provider-traits.ts';
export { isReservedVariable } from './catalog/reserved-variables.ts';
export { type ModelTimeouts, modelTimeouts, providerTimeouts } from './catalog/timeouts.ts';
export { type ErrorBody, type ErrorShape, errorBody } from './errors/error-body.ts';
export { ERROR_CODES, type ErrorCode } from './errors/error-codes.ts';
export {
  balanceErrorEnvelope,
  errorEnvelope,
  messagesBalanceErrorEnvelope,
  messagesErrorEnvelope,
  messagesProviderError,
} from './errors/error-envelope.ts';
export { GatewayError } from './errors/gateway-error.ts';
export {
  type MessagesErrorBody,
  messagesErrorBody,
  messagesErrorType,
} from './errors/messages-error-body.ts';
export { type ErrorKind, PublicError, type PublicErrorOptions } from './errors/public-error.ts';
export { toGatewayError } from './errors/to-gateway-error.ts';
export type { Next, Verdict } from './errors/verdict.ts';
export { arrivalAt, arrivalOf } from './ids/arrival.ts';
export { type IdPrefix, newId } from './ids/new-id.ts';
export { newRequestId } from './ids/new-request-id.ts';
export { displayPrefix, generateApiKey, isWellFormedApiKey } from './keys/api-key.ts';
export { randomBase62 } from './keys/base62.ts';
export { lookupHash, pepperFingerprint } from './keys/lookup-hash.ts';
export * from './limits/limits.ts';
export { recordOf } from './record-of.ts';
export { overallSentence, type Trouble } from './status/overall-sentence.ts';
export { utcMinute } from './status/utc-minute.ts';
export {
  ABSENT_ANTHROPIC_ENDPOINTS,
  ABSENT_ENDPOINTS,
  type AbsentEndpoint,
  absentEndpoint,
} from './wire/absent-endpoints.ts';
export * from './wire/answers/index.ts';
export { CALLERS_NOTES } from './wire/callers-notes.ts';
export {
  CHAT_MEMBERS,
  type ChatCompletionsRequest,
  type ChatUsage,
  chatCompletionsRequest,
  chatUsage,
  isMediaPart,
} from './wire/chat-completions.ts';
export { EMBEDDINGS_MEMBERS, type EmbeddingsRequest, embeddingsRequest } from './wire/embeddings.ts';
export { formatIssues } from './wire/format-issues.ts';
export { IMAGES_MEMBERS, type ImagesRequest, imagesAnswer, imagesRequest } from './wire/images.ts';
export { plainWords } from './wire/issue-words.ts';
export { KnownMembers } from './wire/member-spelling.ts';
export {
  DEVELOPER_ROLE,
  ONLY_OPENAI_MESSAGE_MEMBERS,
  ONLY_OPENAI_REQUEST_MEMBERS,
} from './wire/members-some-refuse.ts';
export {
  type CountTokensRequest,
  countTokensRequest,
  isMediaBlock,
  MESSAGES_MEMBERS,
  type MessagesRequest,
  messagesRequest,
  toolNamesToShorten,
} from './wire/messages.ts';
export { type ModelObject, modelList, modelObject } from './wire/models.ts';
export { reportedUsage } from './wire/reported-usage.ts';
export { CALLERS_MODELS } from './wire/requested-models.ts';
export {
  RERANK_MEMBERS,
  type RerankAnswer,
  type RerankRequest,
  rerankAnswer,
  rerankRequest,
} from './wire/rerank.ts';
export { RESPONSES_MEMBERS, type ResponsesRequest, responsesRequest } from './wire/responses.ts';
export type { ResponsesEcho } from './wire/responses-echo.ts';
export { type CallableTool, callableTools, MAX_TOOLS, toolsOffered } from './wire/responses-tools.ts';
export { shellRunner } from './wire/shell-runner.ts';
export {
  SPEECH_CONTENT_TYPES,
  SPEECH_MEMBERS,
  type SpeechRequest,
  speechRequest,
} from './wire/speech.ts';
export {
  type ComponentStatus,
  componentStatus,
  type HealthState,
  healthState,
  type KnownGap,
  LONG_WAIT_MS,
  type ModelStatus,
  type ModelStatusList,
  modelStatus,
  modelStatusList,
  type StatusSummary,
  statusSummary,
} from './wire/status.ts';
export {
  TRANSCRIPTION_MEMBERS,
  type TranscriptionRequest,
  transcriptionFields,
  transcriptionRequest,
  transcriptionUsage,
} from './wire/transcriptions.ts';
export type { Unpriced } from './wire/unpriced.ts';
export {
  BUCKET_WIDTHS,
  type BucketWidth,
  MAX_MODELS_ASKED,
  MAX_UNIX_SECONDS,
  USAGE_GROUPINGS,
  type UsageQuery,
  usageQuery,
} from './wire/usage-query.ts';
