import { GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import { GatewayError } from '@model-gateway/shared';
import {
  type AttributeNames,
  type Attributes,
  newSpanId,
  rpcAttributes,
  type Span,
  type SpanEvent,
  SpanKind,
} from '@model-gateway/telemetry';
import { isStreamed, modelOf, type RequestRecord } from '../request-record.ts';
import type { RequestTrace, TracedCall, TracedCheck } from '../request-trace.ts';
import { attemptSpans } from './attempt-spans.ts';
import { type Ended, idsOf, type SpanContext } from './span-context.ts';

/** The methods that the conventions know. Spans of others are named alike. */
const HTTP_METHODS: ReadonlySet<string> = new Set(
  'GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH'.split(' '),
);

/** Returns the spans of a request, its checks, and its calls to Redis, the control plane and providers. */
export function requestSpans(record: RequestRecord, context: SpanContext): Span[] {
  const { ended, epochMs, trace } = context;
  const server: Span = {
    ...idsOf(trace),
    spanId: trace.spanId,
    parentSpanId: trace.parentSpanId,
    name: [HTTP_METHODS.has(ended.method) ? ended.method : 'HTTP', routeOf(record)].join(' ').trim(),
    kind: SpanKind.server,
    startedAtMs: epochMs + record.startedAtMs,
    endedAtMs: epochMs + ended.endedAtMs,
    attributes: serverAttributes(record, context),
    events: events(record, context),
    error: isServerError(record, ended) ? (record.error?.code ?? '') : undefined,
  };
  return [
    server,
    ...trace.calls.map((call) => callSpan(call, context)),
    ...trace.checks.map((check) => checkSpan(check, context)),
    ...admissionSpans(context),
    ...attemptSpans(record, context),
  ];
}

/** Returns the span from the report of a request's usage to its commit. */
export function settlementSpan(trace: RequestTrace, context: SpanContext, committedAtMs: number): Span {
  const startedAtMs = trace.settledAtMs ?? committedAtMs;
  const path = 'gateway.v1.BillingService/SettleUsage';
  return callSpan({ spanId: newSpanId(), path, startedAtMs, endedAtMs: committedAtMs }, context);
}

/** A stream that fails later has a good status. Mistakes of the caller are no errors of a server. */
function isServerError({ error }: RequestRecord, { status }: Ended): boolean {
  return status >= 500 || (error?.status ?? 0) >= 500;
}

/** Returns undefined for a path that no route has. */
function routeOf({ route }: RequestRecord): string | undefined {
  return route.startsWith('/') ? route : undefined;
}

function serverAttributes(record: RequestRecord, context: SpanContext): Attributes {
  const { ended, keptBecause, names, showsContents, showsIdentities, trace } = context;
  const { costNanoUsd, error, outcome } = record;
  const model = modelOf(record);
  const isKnown = HTTP_METHODS.has(ended.method);
  const hasCost = model?.price !== undefined && record.isFollowed !== true;
  return {
    [names.httpMethod]: isKnown ? ended.method : '_OTHER',
    [names.httpOriginalMethod]: isKnown ? undefined : ended.method,
    [names.httpRoute]: routeOf(record),
    [names.httpStatus]: ended.status,
    [names.errorType]: error?.code,
    [names.requestId]: record.id,
    [names.capability]: model?.capability,
    [names.model]: model?.id,
    [names.streamed]: model && isStreamed(record),
    [names.attempts]: record.attempts.length,
    [names.cacheHit]: record.cachedFrom && true,
    [names.outcome]: record.charge?.outcome ?? outcome,
    [names.cost]: hasCost ? { double: Number(costNanoUsd ?? 0n) / 1e9 } : undefined,
    [names.keptBecause]: keptBecause,
    ...(showsIdentities ? identities(record, context) : {}),
    ...(showsContents
      ? {
          [names.requestBody]: trace.bodies?.request.text?.toString(),
          [names.responseBody]: trace.bodies?.response.text?.toString(),
        }
      : {}),
  };
}

function identities(record: RequestRecord, { names }: SpanContext): Attributes {
  const { clientIp, endUser, key, session, tags = {} } = record;
  return {
    [names.clientAddress]: clientIp,
    [names.accountId]: key?.accountId,
    [names.seatId]: key?.seatId,
    [names.teamId]: key?.teamId,
    [names.keyId]: key?.keyId,
    [names.endUser]: endUser,
    [names.conversation]: session,
    ...Object.fromEntries(Object.entries(tags).map(([name, value]) => [names.tag + name, value])),
  };
}

function events(record: RequestRecord, { epochMs, names, trace }: SpanContext): SpanEvent[] {
  const last = record.attempts.at(-1);
  const firstTokenAtMs = isStreamed(record) ? last?.firstByteAtMs : undefined;
  const found: SpanEvent[] = [];
  const add = (name: string, atMs: number | undefined, attributes: Attributes = {}) => {
    if (atMs !== undefined) found.push({ name, atMs: epochMs + atMs, attributes });
  };
  add('gateway.admission', trace.admittedAtMs, { [names.outcome]: trace.admission?.outcome });
  add('gateway.reservation', trace.reservedAtMs);
  add('gateway.first_token', firstTokenAtMs);
  add('gateway.settlement', trace.settledAtMs, { [names.usageSource]: record.charge?.usage?.source });
  return found;
}

/** The check of the limits, if Redis made it: one script. */
function admissionSpans({ epochMs, names, trace }: SpanContext): Span[] {
  const { admission, admissionStartedAtMs, admittedAtMs } = trace;
  if (admissionStartedAtMs === undefined || admission?.decidedBy !== 'redis') return [];
  return [
    {
      ...idsOf(trace),
      spanId: newSpanId(),
      parentSpanId: trace.spanId,
      name: 'EVALSHA admit',
      kind: SpanKind.client,
      startedAtMs: epochMs + admissionStartedAtMs,
      endedAtMs: epochMs + (admittedAtMs ?? admissionStartedAtMs),
      attributes: scriptAttributes(names),
    },
  ];
}

function scriptAttributes(names: AttributeNames): Attributes {
  return { [names.dbSystem]: 'redis', [names.dbOperation]: 'EVALSHA' };
}

function callSpan(call: TracedCall, { ended, epochMs, names, trace }: SpanContext): Span {
  const { failure, path, spanId, startedAtMs } = call;
  const code = statusOf(failure);
  const name = GrpcStatus[code] ?? String(code);
  return {
    ...idsOf(trace),
    spanId,
    parentSpanId: trace.spanId,
    name: path,
    kind: SpanKind.client,
    startedAtMs: epochMs + startedAtMs,
    // A request that was stopped does not wait for its calls.
    endedAtMs: epochMs + (call.endedAtMs ?? ended.endedAtMs),
    attributes: {
      ...(call.isRedis ? scriptAttributes(names) : rpcAttributes(names, path, { code, name })),
      [names.errorType]: failure === undefined ? undefined : errorTypeOf(failure, name),
    },
    error: failure === undefined ? undefined : '',
  };
}

function checkSpan(check: TracedCheck, { ended, epochMs, names, trace }: SpanContext): Span {
  const { direction, endedAtMs = ended.endedAtMs, guardrail, isRemote, outcome, spanId, startedAtMs } = check;
  const isFailed = outcome === 'failed';
  return {
    ...idsOf(trace),
    ...{ spanId, parentSpanId: trace.spanId, name: `guardrail ${guardrail}` },
    kind: isRemote ? SpanKind.client : SpanKind.internal,
    startedAtMs: epochMs + startedAtMs,
    endedAtMs: epochMs + endedAtMs,
    attributes: {
      [names.guardrail]: guardrail,
      [names.guardrailDirection]: direction,
      [names.outcome]: outcome,
      [names.errorType]: isFailed ? 'guardrail_unavailable' : undefined,
    },
    error: isFailed ? '' : undefined,
  };
}

/** Returns the status of the call, also if the failure that it led to has it as its cause. */
function statusOf(failure: unknown): number {
  if (failure === undefined) return GrpcStatus.OK;
  for (let cause: unknown = failure; cause instanceof Error; cause = cause.cause) {
    const status = grpcStatus(cause);
    if (status !== undefined) return status;
  }
  return GrpcStatus.UNKNOWN;
}

function errorTypeOf(failure: unknown, status: string): string {
  return failure instanceof GatewayError ? failure.code : status;
}
