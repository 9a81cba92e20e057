import type { SettledRequestMessage } from '@model-gateway/contracts';
import { addUnits, capability, NO_UNITS, partsFit, perUnit, type Units } from '@model-gateway/shared';
import { z } from 'zod';

/** How an attempt ended. Only `failed` counts against the provider; `cut`: the gateway has ended it. */
const outcome = z.enum(['completed', 'failed', 'client_gone', 'cut']);
/** Ids are limited in length because they become part of an index. Postgres does not accept NUL in texts. */
const id = z
  .string()
  .min(1)
  .max(300)
  .refine((text) => !text.includes('\0'), 'must not contain NUL');
const durationMs = z.number().nonnegative();
const count = z.string().transform(Number).pipe(z.int().nonnegative());

const unixMs = z.string().transform(Number).pipe(z.int().positive());

const units = z.object(perUnit('unit', () => count)).refine(partsFit, 'more of a part than of the whole');

/** A request that has ended, as a data plane reports it. */
const settledRequest = z
  .object({
    requestId: id,
    modelId: id,
    capability,
    owner: z.object({ accountId: id, seatId: id.optional(), teamId: id.optional() }),
    keyId: id,
    /** Absent when the request was free of charge. */
    priceVersion: z.int().positive().optional(),
    /** Null when nothing was consumed; of all parts together, when there are any. */
    units: units.nullable(),
    /** What each model has consumed, where several have answered. */
    parts: z
      .array(z.object({ modelId: id, priceVersion: z.int().positive().optional(), units }))
      .max(100)
      .default([]),
    usageSource: z.enum(['provider', 'gateway', 'estimated', '']),
    billingReason: z.enum(['completed', 'aborted_partial', 'upstream_failed_free', 'estimated']),
    /** The nano-USD that were set aside for the request. */
    held: z.string().transform(BigInt),
    allowanceId: id.optional(),
    clientStatus: z.int().min(100).max(599).optional(),
    clientErrorCode: id.optional(),
    endedAtMs: unixMs,
    /** Empty if no provider was asked. */
    attempts: z
      .array(
        z.object({
          providerId: id,
          /** The model that was asked; absent: that of the request. */
          modelId: id.optional(),
          outcome,
          latencyMs: durationMs,
          timeToFirstTokenMs: durationMs.optional(),
          endedAtMs: unixMs,
          httpStatus: z.int().optional(),
          errorCode: id.optional(),
          /** Only for `client_gone` before the first byte: how long the provider had been silent. */
          silentMs: durationMs.optional(),
          streamed: z.boolean().default(false),
          /** The variable that holds the credential it was made with. */
          credentialEnv: id.optional(),
        }),
      )
      .max(100),
  })
  .refine(
    (request) => (request.units === null) === (request.usageSource === ''),
    'units without their source',
  )
  // From here on the units of a request with parts are those of its own model.
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

export type SettledRequest = z.infer<typeof settledRequest>;

/** @returns undefined when the request can never be stored */
export function parseSettledRequest(message: SettledRequestMessage): SettledRequest | undefined {
  return settledRequest.safeParse(message).data;
}
