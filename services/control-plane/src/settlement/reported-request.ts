import type { SettledRequestMessage } from '@model-gateway/contracts';
import {
  addUnits,
  type Capability,
  capability,
  type KeyOwner,
  MAX_COST,
  NO_UNITS,
  type Units,
} from '@model-gateway/shared';
import { RecordFitter } from './fit-record.ts';

/** Only `failed` counts against the provider; `cut`: the gateway ended it. */
const OUTCOMES = ['completed', 'failed', 'client_gone', 'cut'] as const;
const USAGE_SOURCES = ['provider', 'gateway', 'estimated'] as const;
const BILLING_REASONS = [
  'completed',
  'aborted_partial',
  'upstream_failed_free',
  'estimated',
  'cache_hit',
] as const;
const AFFINITIES = ['session', 'prefix', 'none'] as const;
const MAX_PARTS = 100;
const MAX_ATTEMPTS = 100;
/** Exceeds the tags of a caller and its key, and the budgets of all levels. */
const MAX_LABELS = 64;
const MAX_PRICE_VERSION = 2 ** 31 - 1;
/** Exceeds the length that data planes report. */
const MAX_ERROR_LENGTH = 600;
/** Exceeds 256 characters of two UTF-16 units each, and a budget with its window and end user. */
const MAX_LABEL_LENGTH = 600;
/** More than a request with the maximum of attempts needs. */
const MAX_FOLLOWED_LENGTH = 100_000;

export interface ReportedAttempt {
  providerId: string;
  /** Absent: the request's model. */
  modelId?: string | undefined;
  outcome: (typeof OUTCOMES)[number];
  latencyMs: number;
  timeToFirstTokenMs?: number | undefined;
  endedAtMs: number;
  httpStatus?: number | undefined;
  errorCode?: string | undefined;
  /** For `client_gone` before the first byte: silence of the provider. */
  silentMs?: number | undefined;
  streamed: boolean;
  /** Variable of the credential used. */
  credentialEnv?: string | undefined;
  /** Describes what the provider did, for the caller; `operatorError`: for operators, if it says more. */
  error?: string | undefined;
  operatorError?: string | undefined;
  /** What the provider may bill for a response that was not used, and its cost in nano-USD. */
  estimatedUnits?: Units | undefined;
  estimatedCost?: bigint | undefined;
  providerRequestId?: string | undefined;
}

export interface ReportedPart {
  modelId: string;
  /** Absent: free of charge. */
  priceVersion?: number | undefined;
  units: Units;
}

export interface ReportedRequest {
  requestId: string;
  modelId: string;
  capability: Capability;
  owner: KeyOwner;
  keyId: string;
  /** Absent: free of charge. */
  priceVersion?: number | undefined;
  /** Absent: charged at the prices of the catalog. */
  priceListVersion?: number | undefined;
  /** Tier that the provider used; absent: its standard one. */
  serviceTier?: string | undefined;
  /** Null: nothing consumed. With parts: those of the request's own model. */
  units: Units | null;
  /** Consumption per model, where several answered. */
  parts: readonly ReportedPart[];
  /** Undefined: nothing consumed. */
  usageSource: (typeof USAGE_SOURCES)[number] | undefined;
  billingReason: (typeof BILLING_REASONS)[number];
  /** Nano-USD set aside for the request. */
  held: bigint;
  allowanceId?: string | undefined;
  clientStatus?: number | undefined;
  clientErrorCode?: string | undefined;
  /** Undefined: none. */
  tags?: Record<string, string> | undefined;
  endUser?: string | undefined;
  session?: string | undefined;
  affinity?: (typeof AFFINITIES)[number] | undefined;
  /** Budgets that money was reserved from, as in the proto; undefined: none. */
  budgets?: readonly string[] | undefined;
  endedAtMs: number;
  /** How another data plane can follow the response. A record with it is provisional. */
  followed?: string | undefined;
  /** Empty: no provider was called. */
  attempts: readonly ReportedAttempt[];
  /** Names of the fields that did not fit. */
  clampedFields: Set<string>;
}

/**
 * Reads a report. Values that cannot be stored are clamped, cut or replaced by a default, so that no request
 * is lost because of them.
 * @param fallbackId the id of a record without one; the same when the batch is sent again
 */
export function readReportedRequest(message: SettledRequestMessage, fallbackId: string): ReportedRequest {
  const fitter = new RecordFitter();
  const modelId = fitter.text('model_id', message.modelId, 'unknown');
  const parts = partsOf(fitter, message);
  const units = message.units === null ? null : fitter.units('units', message.units);
  const held = fitter.money('held', message.held, MAX_COST);
  if (message.isClamped) fitter.clampedFields.add('units');
  return {
    requestId: fitter.requestId(message.requestId, fallbackId),
    modelId,
    capability: fitter.oneOf('capability', message.capability, capability.options, 'chat'),
    owner: {
      accountId: fitter.text('account_id', message.owner?.accountId ?? '', 'unknown'),
      seatId: fitter.optionalText('seat_id', message.owner?.seatId),
      teamId: fitter.optionalText('team_id', message.owner?.teamId),
    },
    keyId: fitter.text('key_id', message.keyId, 'unknown'),
    priceVersion: priceVersionOf(message),
    priceListVersion: versionOf(message.priceListVersion),
    serviceTier: fitter.optionalText('service_tier', message.serviceTier),
    units: units !== null && parts.length > 0 ? unitsOfModel(modelId, parts) : units,
    parts,
    usageSource:
      units === null
        ? undefined
        : fitter.oneOf('usage_source', message.usageSource, USAGE_SOURCES, 'estimated'),
    billingReason: fitter.oneOf('billing_reason', message.billingReason, BILLING_REASONS, 'estimated'),
    held,
    allowanceId: fitter.optionalText('allowance_id', message.allowanceId),
    clientStatus: fitter.integer('client_status', message.clientStatus, 100, 599),
    clientErrorCode: fitter.optionalText('client_error_code', message.clientErrorCode),
    ...labelsOf(fitter, message),
    endedAtMs: fitter.timeMs('ended_at_ms', message.endedAtMs),
    followed: followedOf(fitter, message),
    attempts: attemptsOf(fitter, message),
    clampedFields: fitter.clampedFields,
  };
}

function labelsOf(fitter: RecordFitter, message: SettledRequestMessage) {
  const tags = fitter.list('tags', Object.entries(message.tags), MAX_LABELS);
  const budgets = fitter.list('budgets', message.budgets, MAX_LABELS);
  return {
    tags:
      tags.length === 0
        ? undefined
        : Object.fromEntries(tags.map((tag) => tag.map((text) => fitter.text('tags', text, '')))),
    endUser: fitter.optionalText('end_user', message.endUser, MAX_LABEL_LENGTH),
    session: fitter.optionalText('session', message.session, MAX_LABEL_LENGTH),
    affinity:
      message.affinity === undefined
        ? undefined
        : fitter.oneOf('affinity', message.affinity, AFFINITIES, 'none'),
    budgets:
      budgets.length === 0
        ? undefined
        : budgets.map((text) => fitter.text('budgets', text, '', MAX_LABEL_LENGTH)),
  };
}

function partsOf(fitter: RecordFitter, { parts }: SettledRequestMessage): ReportedPart[] {
  return fitter.list('parts', parts, MAX_PARTS).map((part) => ({
    modelId: fitter.text('parts', part.modelId, 'unknown'),
    priceVersion: priceVersionOf(part),
    units: fitter.units('parts', part.units),
  }));
}

/** Drops JSON that is too long, because a part of it is of no use. The record is final then. */
function followedOf(fitter: RecordFitter, { followed }: SettledRequestMessage): string | undefined {
  if (followed === undefined || followed.length <= MAX_FOLLOWED_LENGTH) return followed;
  fitter.clampedFields.add('followed');
  return undefined;
}

/** Clamps to a version that does not exist and so has no price (settle-batch.ts). */
function priceVersionOf({ priceVersion }: { priceVersion?: number }): number | undefined {
  return versionOf(priceVersion);
}

function versionOf(version: number | undefined): number | undefined {
  return version === undefined ? undefined : Math.min(version, MAX_PRICE_VERSION);
}

function unitsOfModel(modelId: string, parts: readonly ReportedPart[]): Units {
  return parts
    .filter((part) => part.modelId === modelId)
    .reduce((sum, part) => addUnits(sum, part.units), NO_UNITS);
}

function attemptsOf(fitter: RecordFitter, { attempts }: SettledRequestMessage): ReportedAttempt[] {
  const optionalMs = (value: number | undefined) =>
    value === undefined ? undefined : fitter.durationMs('attempts', value);
  return fitter.list('attempts', attempts, MAX_ATTEMPTS).map((attempt) => ({
    providerId: fitter.text('attempts', attempt.providerId, 'unknown'),
    modelId: fitter.optionalText('attempts', attempt.modelId),
    outcome: fitter.oneOf('attempts', attempt.outcome, OUTCOMES, 'cut'),
    latencyMs: fitter.durationMs('attempts', attempt.latencyMs),
    timeToFirstTokenMs: optionalMs(attempt.timeToFirstTokenMs),
    endedAtMs: fitter.timeMs('attempts', attempt.endedAtMs),
    httpStatus: fitter.integer('attempts', attempt.httpStatus, 100, 599),
    errorCode: fitter.optionalText('attempts', attempt.errorCode),
    silentMs: optionalMs(attempt.silentMs),
    streamed: attempt.streamed,
    credentialEnv: fitter.optionalText('attempts', attempt.credentialEnv),
    error: fitter.optionalText('attempts', attempt.error, MAX_ERROR_LENGTH),
    operatorError: fitter.optionalText('attempts', attempt.operatorError, MAX_ERROR_LENGTH),
    estimatedUnits: attempt.estimatedUnits ? fitter.units('attempts', attempt.estimatedUnits) : undefined,
    estimatedCost:
      attempt.estimatedCost === undefined
        ? undefined
        : fitter.money('attempts', attempt.estimatedCost, MAX_COST),
    providerRequestId: fitter.optionalText('attempts', attempt.providerRequestId),
  }));
}
