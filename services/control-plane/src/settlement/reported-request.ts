import type { SettledRequestMessage } from '@model-gateway/contracts';
import { addUnits, capability, NO_UNITS, partsFit, perUnit, type Units } from '@model-gateway/shared';
import { z } from 'zod';
import { reportedId as id } from '../reported-id.ts';

/** Only `failed` counts against the provider; `cut`: the gateway ended it. */
const outcome = z.enum(['completed', 'failed', 'client_gone', 'cut']);

/** More than a request with the maximum of attempts needs. */
const MAX_FOLLOWED_LENGTH = 100_000;

const durationMs = z.number().nonnegative();
const count = z.string().transform(Number).pipe(z.int().nonnegative());

const unixMs = z.string().transform(Number).pipe(z.int().positive());

const units = z.object(perUnit('unit', () => count)).refine(partsFit, 'more of a part than of the whole');

const reportedRequest = z
  .object({
    requestId: id,
    modelId: id,
    capability,
    owner: z.object({ accountId: id, seatId: id.optional(), teamId: id.optional() }),
    keyId: id,
    /** Absent: free of charge. */
    priceVersion: z.int().positive().optional(),
    /** Null: nothing consumed. Includes all parts. */
    units: units.nullable(),
    /** Consumption per model, where several answered. */
    parts: z
      .array(z.object({ modelId: id, priceVersion: z.int().positive().optional(), units }))
      .max(100)
      .default([]),
    usageSource: z.enum(['provider', 'gateway', 'estimated', '']),
    billingReason: z.enum(['completed', 'aborted_partial', 'upstream_failed_free', 'estimated']),
    /** Nano-USD set aside for the request. */
    held: z.string().transform(BigInt),
    allowanceId: id.optional(),
    clientStatus: z.int().min(100).max(599).optional(),
    clientErrorCode: id.optional(),
    endedAtMs: unixMs,
    /** How another data plane can follow the response. Present in a record: the record is provisional. */
    followed: z.string().max(MAX_FOLLOWED_LENGTH).optional(),
    /** Empty: no provider was called. */
    attempts: z
      .array(
        z.object({
          providerId: id,
          /** Absent: the request's model. */
          modelId: id.optional(),
          outcome,
          latencyMs: durationMs,
          timeToFirstTokenMs: durationMs.optional(),
          endedAtMs: unixMs,
          httpStatus: z.int().optional(),
          errorCode: id.optional(),
          /** For `client_gone` before the first byte: silence of the provider. */
          silentMs: durationMs.optional(),
          streamed: z.boolean().default(false),
          /** Variable of the credential used. */
          credentialEnv: id.optional(),
        }),
      )
      .max(100),
  })
  .refine(
    (request) => (request.units === null) === (request.usageSource === ''),
    'units without their source',
  )
  // From here on, units of a request with parts are those of its own model.
  .transform((request) =>
    request.parts.length === 0 ? request : { ...request, units: ofOwnModel(request) },
  );

function ofOwnModel({
  modelId,
  parts,
}: {
  modelId: string;
  parts: readonly { modelId: string; units: Units }[];
}) {
  return parts
    .filter((part) => part.modelId === modelId)
    .reduce((sum, part) => addUnits(sum, part.units), NO_UNITS);
}

export type ReportedRequest = z.infer<typeof reportedRequest>;

/** @returns undefined when the request can never be stored */
export function parseReportedRequest(message: SettledRequestMessage): ReportedRequest | undefined {
  return reportedRequest.safeParse(message).data;
}
