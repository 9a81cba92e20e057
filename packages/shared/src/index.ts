export { cachedInputShare } from './billing/cached-input-share.ts';
export {
  type Decimal,
  formatDecimal,
  nanoUsdOf,
  parseDecimal,
  roundTo,
  times,
  wholeAt,
  wholeOrText,
} from './billing/decimal.ts';
export * from './billing/display-units.ts';
export { fitUnits, MAX_COUNT, unitsFit } from './billing/fit-units.ts';
export * from './billing/flat-pricing.ts';
export * from './billing/money.ts';
export * from './billing/payer.ts';
export {
  canCost,
  costOf,
  costOfParts,
  isTierPriced,
  MAX_COST,
  maxCostOf,
  type Price,
  type PricedUnits,
  priceAtTier,
  priceOf,
  priceToHold,
  UNPRICED_TIER,
  unpricedColumns,
  unpricedUnits,
} from './billing/price.ts';
export {
  byValidity,
  MAX_PRICE_LIST_VERSIONS,
  type PriceListMessage,
  PriceLists,
  type PriceListTerms,
  PriceListVersion,
  priceListTerms,
} from './billing/price-list.ts';
export {
  GUARDRAILS,
  KNOWN_PRICES,
  METERED,
  NEEDED_PRICES,
  PRICE_LISTS,
  type Prices,
  type Pricing,
  paidProblems,
  pricing,
  pricingProblems,
  sellingPricing,
  sellingServiceTiers,
  sellingTiers,
} from './billing/pricing.ts';
export * from './billing/service-tier.ts';
export * from './billing/unit-sums.ts';
export * from './billing/units.ts';
export * from './catalog/capability.ts';
export * from './catalog/capability-endpoints.ts';
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
export * from './catalog/configuration.ts';
export { credentialName } from './catalog/credential-names.ts';
export { credentialValue } from './catalog/credential-value.ts';
export { type CatalogGuardrail, type GuardrailKind, guardrailEntry } from './catalog/guardrail-entry.ts';
export { MEDIA_PART_TOKENS } from './catalog/model-entry.ts';
export type { NamedModel } from './catalog/model-names.ts';
export {
  MAX_PRICE_AGE_DAYS,
  outdatedPrices,
  type PricesFrom,
  priceAgeDays,
  priceOrigin,
  pricesFrom,
} from './catalog/prices-from.ts';
export {
  KIND_CAPABILITIES,
  knownApis,
  type ProviderApi,
  type ProviderKind,
  providerKind,
} from './catalog/provider-kinds.ts';
export { OWN_PROJECT } from './catalog/provider-places.ts';
export * from './catalog/provider-traits.ts';
export * from './catalog/reserved-variables.ts';
export * from './catalog/timeouts.ts';
export type { ProviderTraits } from './catalog/trait-members.ts';
export { TRAIT_PRESETS, type TraitPresetName } from './catalog/trait-presets.ts';
export * from './day.ts';
export * from './errors/error-body.ts';
export * from './errors/error-codes.ts';
export * from './errors/error-envelope.ts';
export * from './errors/gateway-error.ts';
export * from './errors/messages-error-body.ts';
export type { ProviderReport } from './errors/provider-report.ts';
export * from './errors/public-error.ts';
export { toGatewayError } from './errors/to-gateway-error.ts';
export * from './errors/verdict.ts';
export * from './escape-formula.ts';
export * from './ids/arrival.ts';
export { DEMO_EMAIL } from './ids/demo-email.ts';
export * from './ids/new-id.ts';
export * from './ids/new-request-id.ts';
export { adminKeyToken } from './keys/admin-key.ts';
export * from './keys/api-key.ts';
export { randomBase62 } from './keys/base62.ts';
export { type CheckedToken, checkedToken, displayPrefix } from './keys/checked-token.ts';
export { CredentialSeal, credentialSeals } from './keys/credential-seal.ts';
export * from './keys/lookup-hash.ts';
export { deriveKey, openSealedBytes, sealBytes } from './keys/sealed-bytes.ts';
export * from './limits/limits.ts';
export * from './record-of.ts';
export * from './status/overall-sentence.ts';
export * from './status/utc-minute.ts';
export * from './wire/absent-endpoints.ts';
export { unpricedBetas } from './wire/anthropic-betas.ts';
export * from './wire/base-url-mistakes.ts';
export * from './wire/callers-notes.ts';
export * from './wire/chat-completions.ts';
export { checkJson } from './wire/check-json.ts';
export * from './wire/completions.ts';
export type { ConversationStart } from './wire/conversation-start.ts';
export * from './wire/embeddings.ts';
export { formatIssues, jsonPath } from './wire/format-issues.ts';
export * from './wire/image-edits.ts';
export * from './wire/images.ts';
export { plainWords } from './wire/issue-words.ts';
export {
  type BodyLabels,
  CALLERS_SESSION,
  hasAtMost,
  labelMembers,
  labelsIn,
  MAX_END_USER,
  MAX_SESSION,
} from './wire/label-members.ts';
export type { MediaParts } from './wire/media-parts.ts';
export { KnownMembers } from './wire/member-spelling.ts';
export {
  CALLS_WITH_EXTRA_CONTENT,
  CALLS_WITHOUT_REASONING,
  DEVELOPER_ROLE,
  isInstruction,
  LATER_SYSTEM,
  ONLY_OPENAI_MESSAGE_MEMBERS,
  ONLY_OPENAI_REQUEST_MEMBERS,
} from './wire/members-some-refuse.ts';
export * from './wire/messages.ts';
export * from './wire/models.ts';
export * from './wire/moderations.ts';
export * from './wire/own-api-members.ts';
export * from './wire/reported-usage.ts';
export { CALLERS_MODELS } from './wire/requested-models.ts';
export * from './wire/rerank.ts';
export * from './wire/responses/index.ts';
export type { ResponsesEcho } from './wire/responses-echo.ts';
export { RESPONSES_MEMBERS, type ResponsesRequest, responsesRequest } from './wire/responses-request.ts';
export { type CallableTool, callableTools, MAX_TOOLS, toolsOffered } from './wire/responses-tools.ts';
export * from './wire/shell-runner.ts';
export * from './wire/speech.ts';
export {
  type ComponentStatus,
  type ConfigurationGap,
  componentStatus,
  type HealthState,
  healthState,
  LONG_WAIT_MS,
  type ModelStatus,
  type ModelStatusList,
  modelStatus,
  modelStatusList,
  type StatusSummary,
  statusSummary,
} from './wire/status.ts';
export * from './wire/transcriptions.ts';
export type { Unpriced } from './wire/unpriced.ts';
export * from './wire/usage-query.ts';
