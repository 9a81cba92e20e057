import { GatewayError } from '@model-gateway/shared';
import { z } from 'zod';

/** What a provider may say about the caller's request (wire format, "Errors"). */
const REJECTIONS = new Set([400, 413, 422]);
const MAX_MESSAGE_LENGTH = 500;
const MAX_RETRY_AFTER_SECONDS = 86_400;

const providerError = z.looseObject({ error: z.looseObject({ message: z.string().min(1) }) });

export interface ProviderAnswer {
  status: number;
  retryAfter: string | undefined;
  /** At most the first few kilobytes. */
  bodyText: string;
}

/**
 * The error a caller gets for a provider's answer that is no success.
 * @param redact removes our own secrets from text
 */
export function errorForAnswer(answer: ProviderAnswer, redact: (text: string) => string): GatewayError {
  const cause = new Error(`the provider answered ${answer.status}`);
  if (answer.status === 429) {
    const message = 'The model provider is limiting requests at the moment. Retry later.';
    const retryAfterSeconds = retryAfter(answer.retryAfter);
    return new GatewayError('upstream_rate_limited', message, {
      cause,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    });
  }
  if (!REJECTIONS.has(answer.status)) return badGateway(cause);
  const said = publicMessage(answer.bodyText);
  const message =
    said === undefined
      ? 'The model provider rejected the request.'
      : redact(said).slice(0, MAX_MESSAGE_LENGTH);
  return new GatewayError('upstream_rejected', message, { status: answer.status, cause });
}

/** The provider refused the connection, reset it, or answered something that is no answer. */
export function badGateway(cause: unknown): GatewayError {
  return new GatewayError(
    'upstream_error',
    'The model provider failed to answer properly. Retry the request.',
    { cause },
  );
}

export function upstreamTimeout(what: string, milliseconds: number): GatewayError {
  return new GatewayError(
    'upstream_timeout',
    'The model provider did not answer in time. Retry the request.',
    {
      cause: new Error(`${what} took longer than ${milliseconds} ms`),
    },
  );
}

/** From whatever undici threw before or while the provider answered. */
export function errorForFailure(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  if (code === 'UND_ERR_CONNECT_TIMEOUT') {
    return new GatewayError(
      'upstream_timeout',
      'The model provider could not be reached in time. Retry the request.',
      {
        cause: thrown,
      },
    );
  }
  return badGateway(thrown);
}

function publicMessage(bodyText: string): string | undefined {
  let body: unknown;
  try {
    body = JSON.parse(bodyText);
  } catch {
    return undefined;
  }
  const parsed = providerError.safeParse(body);
  return parsed.success ? parsed.data.error.message : undefined;
}

/** Whole seconds of a Retry-After header, which holds seconds or a date; at most a day. */
function retryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000;
  return seconds >= 0 ? Math.min(Math.ceil(seconds), MAX_RETRY_AFTER_SECONDS) : undefined;
}
