import { GatewayError } from './gateway-error.ts';

export function tooManyLargeBodies(): GatewayError {
  const message =
    'The gateway is handling too many large requests, of this API key, its account or all callers. ' +
    'Retry in a second.';
  return new GatewayError('overloaded', message);
}

export function tooManyLargeAnswers(): GatewayError {
  const message =
    'The gateway holds too many large answers at the moment. Nothing was charged; retry in a second.';
  return new GatewayError('overloaded', message);
}

export function shuttingDown(): GatewayError {
  return new GatewayError('overloaded', 'This gateway process is shutting down. Send the request again.');
}
