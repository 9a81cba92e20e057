/** OTEL_SEMCONV: the names that attributes get. */
export const SEMCONV = ['genai-main', 'genai-1.36'] as const;
export type Semconv = (typeof SEMCONV)[number];

/** Names that both conventions have. */
const COMMON = {
  errorType: 'error.type',
  httpMethod: 'http.request.method',
  httpOriginalMethod: 'http.request.method_original',
  httpRoute: 'http.route',
  httpStatus: 'http.response.status_code',
  clientAddress: 'client.address',
  serverAddress: 'server.address',
  serverPort: 'server.port',
  dbSystem: 'db.system.name',
  dbOperation: 'db.operation.name',
  operation: 'gen_ai.operation.name',
  requestModel: 'gen_ai.request.model',
  responseId: 'gen_ai.response.id',
  finishReasons: 'gen_ai.response.finish_reasons',
  conversation: 'gen_ai.conversation.id',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
} as const;

/** Names that only this gateway has. */
const GATEWAY = {
  requestId: 'gateway.request_id',
  capability: 'gateway.capability',
  /** The gateway's id of a model. */
  model: 'gateway.model',
  provider: 'gateway.provider',
  providerRequestId: 'gateway.provider_request_id',
  outcome: 'gateway.outcome',
  attempts: 'gateway.attempts',
  cacheHit: 'gateway.cache_hit',
  /** US dollars. */
  cost: 'gateway.cost_usd',
  usageSource: 'gateway.usage_source',
  /** The id of a guardrail. */
  guardrail: 'gateway.guardrail',
  /** Tells which of the two a guardrail checked: the `request` or the `response`. */
  guardrailDirection: 'gateway.guardrail_direction',
  batchSize: 'gateway.batch_size',
  decidedBy: 'gateway.decided_by',
  /** The reason for which a trace is exported: `sampled`, `error` or `slow`. */
  keptBecause: 'gateway.kept_because',
  accountId: 'gateway.account_id',
  seatId: 'gateway.seat_id',
  teamId: 'gateway.team_id',
  keyId: 'gateway.key_id',
  endUser: 'gateway.end_user',
  /** Followed by the name of the tag. */
  tag: 'gateway.tag.',
  requestBody: 'gateway.request_body',
  responseBody: 'gateway.response_body',
} as const;

/** The table of names: what the two conventions call the same thing. */
const BY_SEMCONV = {
  'genai-main': {
    /** No release has these names yet. This is the schema that the main branch declares. */
    schemaUrl: 'https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev',
    genAiProvider: 'gen_ai.provider.name',
    streamed: 'gen_ai.request.stream',
    /** Seconds. */
    timeToFirstChunk: 'gen_ai.response.time_to_first_chunk',
    cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
    cacheWriteTokens: 'gen_ai.usage.cache_write.input_tokens',
    reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
    tokenModality: 'gen_ai.token.modality',
    tokenType: 'gateway.token_type',
    rpcSystem: 'rpc.system.name',
    rpcService: undefined,
    /** With the service before it. */
    rpcMethod: 'rpc.method',
    /** The name of the status, such as `NOT_FOUND`. */
    rpcStatus: 'rpc.response.status_code',
  },
  'genai-1.36': {
    schemaUrl: 'https://opentelemetry.io/schemas/1.36.0',
    genAiProvider: 'gen_ai.system',
    streamed: 'gateway.streamed',
    timeToFirstChunk: 'gateway.time_to_first_chunk',
    cacheReadTokens: 'gateway.usage.cache_read.input_tokens',
    cacheWriteTokens: 'gateway.usage.cache_write.input_tokens',
    reasoningTokens: 'gateway.usage.reasoning.output_tokens',
    tokenModality: 'gateway.token_modality',
    tokenType: 'gen_ai.token.type',
    rpcSystem: 'rpc.system',
    rpcService: 'rpc.service',
    rpcMethod: 'rpc.method',
    /** A number. */
    rpcStatus: 'rpc.grpc.status_code',
  },
} as const;

export type AttributeNames = typeof COMMON &
  typeof GATEWAY &
  (typeof BY_SEMCONV)[Semconv] & { semconv: Semconv };

export function attributeNames(semconv: Semconv): AttributeNames {
  return { ...COMMON, ...GATEWAY, ...BY_SEMCONV[semconv], semconv };
}

/** Values of the attribute `genAiProvider`, by the kind of a provider in the catalog. */
const PROVIDER_OF_KIND: Readonly<Record<string, string>> = {
  anthropic: 'anthropic',
  'azure-openai': 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  cohere: 'cohere',
  gemini: 'gcp.gemini',
  vertex: 'gcp.vertex_ai',
};

/** Returns the conventions' name of a provider; they know more OpenAI-compatible ones by their ids. */
export function genAiProviderOf(kind: string, providerId: string): string {
  return PROVIDER_OF_KIND[kind] ?? providerId;
}

/** Values of the attribute `operation`; where the conventions know none, our own. */
const OPERATION_OF_CAPABILITY: Readonly<Record<string, string>> = {
  chat: 'chat',
  completions: 'text_completion',
  embeddings: 'embeddings',
};

export function genAiOperationOf(capability: string): string {
  return OPERATION_OF_CAPABILITY[capability] ?? capability;
}

/** The attributes of a call over gRPC. */
export function rpcAttributes(
  { rpcMethod, rpcService, rpcStatus, rpcSystem }: AttributeNames,
  path: string,
  status: { code: number; name: string },
): Record<string, string | number> {
  const [service = '', method = ''] = path.replace(/^\//, '').split('/');
  if (rpcService === undefined)
    return { [rpcSystem]: 'grpc', [rpcMethod]: `${service}/${method}`, [rpcStatus]: status.name };
  return { [rpcSystem]: 'grpc', [rpcService]: service, [rpcMethod]: method, [rpcStatus]: status.code };
}
