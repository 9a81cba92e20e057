import { z } from 'zod';
import type { ErrorDetails } from '../../interfaces/provider-protocol.ts';
import { type JsonObject, objectOr } from '../../json/json-object.ts';

const failure = z.looseObject({
  message: z.string().min(1),
  status: z.string().optional(),
  details: z.array(z.unknown()).optional(),
});
const errorAnswer = z.looseObject({ error: failure });

export type GoogleFailure = z.infer<typeof failure>;

/** Reads a google.rpc.Status, alone or as the first entry of a list. */
export function readGoogleFailure(value: unknown): GoogleFailure | undefined {
  return errorAnswer.safeParse(Array.isArray(value) ? value[0] : value).data?.error;
}

/** Google sends a 400 for an invalid key, and the wait in a RetryInfo. */
export function readGoogleErrorDetails(bodyText: string): ErrorDetails {
  const failure = failureOf(bodyText);
  const seconds = failure && waitSecondsIn(failure);
  return {
    isAccessRefused: detailsOf(failure).some(
      ({ reason }) => typeof reason === 'string' && BAD_KEY.has(reason),
    ),
    ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
  };
}

export function waitSecondsIn(failure: GoogleFailure): number | undefined {
  return detailsOf(failure)
    .map(retryDelayOf)
    .find((delay) => delay !== undefined);
}

function detailsOf(failure: GoogleFailure | undefined): JsonObject[] {
  return (failure?.details ?? []).map(objectOr);
}

/** Reasons of a google.rpc.ErrorInfo. */
const BAD_KEY: ReadonlySet<string> = new Set([
  'API_KEY_INVALID',
  'API_KEY_SERVICE_BLOCKED',
  'API_KEY_EXPIRED',
]);
const RETRY_INFO = 'type.googleapis.com/google.rpc.RetryInfo';

/** Parses a duration of protobuf: `34.4s`. */
function retryDelayOf({ '@type': type, retryDelay }: JsonObject): number | undefined {
  if (type !== RETRY_INFO || typeof retryDelay !== 'string') return undefined;
  const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(retryDelay)?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}

function failureOf(bodyText: string): GoogleFailure | undefined {
  try {
    return readGoogleFailure(JSON.parse(bodyText));
  } catch {
    return undefined;
  }
}
