import { type EndedResponse, type Usage, type UsageSource, usageOf } from '@model-gateway/dialects';
import { perUnit } from '@model-gateway/shared';
import { z } from 'zod';
import type { RoutedModel, RoutedProvider } from '../catalog/model-table.ts';
import type { Exchange } from '../http/exchange.ts';
import { type Charge, isStreamed, type UpstreamOutcome } from '../request-record.ts';
import type { CapabilityCall } from '../upstream/capability-call.ts';
import type { SettledRequest } from './settled-request.ts';
import { billingReason, settledUnits } from './settled-request-of.ts';

/**
 * The end of a followed response: its final state; that the provider never stored it, or has deleted it; or
 * that polling ended before, while the provider still worked on it or did not respond.
 */
export type FollowedEnd = EndedResponse | 'never_stored' | 'deleted' | 'not_ended' | 'not_learnt';

const units = z.object(perUnit('unit', () => z.number()));
const usage = units.extend({ source: z.custom<UsageSource>((value) => typeof value === 'string') });

/** Plain data to follow and charge a response that its provider may still work on. */
const followedResponse = z.object({
  providerId: z.string(),
  responseId: z.string(),
  modelId: z.string(),
  /** Headers of the caller that the provider needs. */
  headers: z.record(z.string(), z.string()),
  /** Unix milliseconds. */
  sinceMs: z.number(),
  /** False: the provider only stores it, and its stream broke off. */
  isRequested: z.boolean(),
  outcome: z.custom<UpstreamOutcome>((value) => typeof value === 'string').optional(),
  /** Usage that was delivered to the caller. */
  delivered: usage.optional(),
  /** Usage of the prompt, by estimate. */
  prompt: usage,
  maximum: usage,
  /** True if the model has a price for server tool calls. */
  chargesToolCalls: z.boolean(),
});
export type FollowedResponse = z.infer<typeof followedResponse>;

const storedReport = z.looseObject({ requestId: z.string(), held: z.string().regex(/^\d+$/) });
type StoredReport = Omit<SettledRequest, 'held'> & { held: string };

/** Data for another data plane. The control plane passes it on unread. */
const handedOver = z.object({
  response: followedResponse,
  report: z.custom<StoredReport>((value) => storedReport.safeParse(value).success),
});

/**
 * Describes the response that the provider may still work on after the request.
 * @param delivered usage that was delivered to the caller
 * @returns undefined if there is none, or nobody can have its id
 */
export function followedResponseOf(
  exchange: Pick<Exchange, 'record' | 'req' | 'res'>,
  model: RoutedModel,
  { background, maxUnits }: Pick<CapabilityCall, 'background' | 'maxUnits'>,
  delivered: Usage | undefined,
): FollowedResponse | undefined {
  const { record, req } = exchange;
  if (background?.unfinished === undefined) return undefined;
  const { isRequested, unfinished } = background;
  if (!isRequested && !mayBeRead(exchange)) return undefined;
  const needed = providerOf(model, unfinished)?.protocol.endpoints.chat?.providerStored?.callerHeaders ?? [];
  return {
    ...unfinished,
    modelId: model.id,
    headers: Object.fromEntries(
      needed.flatMap((name) => (typeof req.headers[name] === 'string' ? [[name, req.headers[name]]] : [])),
    ),
    sinceMs: Date.now(),
    isRequested,
    outcome: record.outcome,
    delivered: delivered && (isStreamed(record) || !isRequested) ? withoutParts(delivered) : undefined,
    prompt: withoutParts(background.estimatePrompt()),
    maximum: usageOf('estimated', maxUnits),
    chargesToolCalls: model.price?.cost.names.has('tool_call_usd') === true,
  };
}

/** Leaves out parts of other models: providers that store responses use one. */
function withoutParts({ parts: _, ...rest }: Usage): Usage {
  return rest;
}

/** Returns the provider of a model that works on a response. */
export function providerOf(
  { upstreams }: RoutedModel,
  { providerId }: Pick<FollowedResponse, 'providerId'>,
): RoutedProvider | undefined {
  return upstreams.find(({ provider }) => provider.id === providerId)?.provider;
}

/**
 * Returns true if the caller may have the id of an unfinished response. A stream without output has not sent
 * its id, and a complete, counted response is the whole.
 */
function mayBeRead({ record, res }: Pick<Exchange, 'record' | 'res'>): boolean {
  if (record.outcome === 'completed') return record.usage?.source !== 'provider';
  return isStreamed(record) && res.headersSent;
}

/** Returns the charge of a followed response: its usage if known, else what it may have used. */
export function chargeFollowed(response: FollowedResponse, end: FollowedEnd): Charge {
  const { delivered, isRequested, maximum, outcome } = response;
  if (isRequested && typeof end === 'string') return { usage: maximum, outcome: 'completed' };
  // A response that ran for so long, or is deleted, may have been read whole.
  if (end === 'deleted' || end === 'not_ended') return { usage: maximum, outcome };
  if (typeof end === 'string') return { usage: delivered, outcome };
  const counted = providerUsage(response, end);
  if (counted !== undefined) return { usage: counted, outcome: 'completed' };
  if (!isRequested) return { usage: deliveredOrReadable(response, end), outcome };
  // Charge what was streamed before the caller left, even if the rest failed.
  return end.hasFailed ? { usage: delivered, outcome: 'failed' } : { usage: maximum, outcome: 'completed' };
}

/** Server tool calls count only if the model has a price for them. */
function providerUsage({ chargesToolCalls }: FollowedResponse, { usage }: EndedResponse): Usage | undefined {
  if (usage === undefined) return undefined;
  return usageOf('provider', chargesToolCalls ? usage.units : { ...usage.units, toolCalls: 0 });
}

/** Returns what was delivered, or what can still be read if it is more. */
function deliveredOrReadable(
  { delivered, maximum, prompt }: FollowedResponse,
  { writtenTokens }: EndedResponse,
): Usage | undefined {
  if (writtenTokens === undefined) return delivered;
  const outputTokens = Math.min(writtenTokens, maximum.outputTokens);
  if (delivered !== undefined && delivered.outputTokens > outputTokens) return delivered;
  return { ...prompt, outputTokens };
}

/**
 * Adds to a report how another data plane can follow the response. The charge will contain the last attempt,
 * so it has no estimate.
 */
export function withFollowed(report: SettledRequest, response: FollowedResponse): SettledRequest {
  const attempts = report.attempts.map((attempt, index, { length }) =>
    index < length - 1 ? attempt : { ...attempt, estimatedUnits: undefined, estimatedCost: undefined },
  );
  const stored = { response, report: { ...report, attempts, held: String(report.held) } };
  return { ...report, attempts, followed: JSON.stringify(stored) };
}

/** @returns undefined for what only another release can read */
export function readFollowed(text: string): z.infer<typeof handedOver> | undefined {
  try {
    return handedOver.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Returns the final report of a request that another data plane has handed over. */
export function finalReport(
  { units: _, parts: __, isClamped: ___, ...report }: StoredReport,
  charge: Charge,
): SettledRequest {
  const { usage } = charge;
  return {
    ...report,
    held: BigInt(report.held),
    ...(usage === undefined ? {} : settledUnits(usage)),
    usageSource: usage?.source ?? '',
    billingReason: billingReason(charge),
  };
}
