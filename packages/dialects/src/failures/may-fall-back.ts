import { GatewayError } from '@model-gateway/shared';
import { isContextTooLong } from './context-too-long.ts';
import { hasForeignThoughts } from './foreign-thoughts.ts';
import { speaksAgainstProvider } from './provider-errors.ts';

/** Failures of a model, or of its providers, that another model need not have. */
const OF_MODEL = new Set([
  'upstream_error',
  'upstream_timeout',
  'upstream_rate_limited',
  // Its providers have failed too often just now, refuse the gateway, or have no credential.
  'model_unavailable',
  // What the API of its provider cannot express; what the request itself has wrong was found before.
  'invalid_request',
]);
const TOO_LARGE = 413;
/** How providers say with a 400 that they do not have the model, or not any more. */
const NO_SUCH_MODEL =
  /model_not_found|model_decommissioned|model identifier is invalid|not a valid model|model .{1,200}(?:does not exist|has been decommissioned|is not supported in this region)/is;

/** Whether another model may well answer a request that has failed so (docs/wire-format.md, "Fallbacks"). */
export function mayFallBack(failure: unknown): boolean {
  if (!(failure instanceof GatewayError)) return false;
  // The provider was at work all the time: as long again would be too long for the caller.
  if (failure.code === 'upstream_timeout') return speaksAgainstProvider(failure);
  if (OF_MODEL.has(failure.code)) return true;
  if (failure.code !== 'upstream_rejected') return false;
  const { message, providersBody = '', status } = failure;
  return (
    status === TOO_LARGE ||
    isContextTooLong(failure) ||
    hasForeignThoughts(failure) ||
    NO_SUCH_MODEL.test(`${message} ${providersBody}`)
  );
}
