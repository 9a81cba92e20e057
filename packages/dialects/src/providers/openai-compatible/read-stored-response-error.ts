import type { GatewayError } from '@model-gateway/shared';
import { notKeptByProvider, previousResponseNotFound, responseNotFound } from '@model-gateway/shared/errors';
import { z } from 'zod';
import type { UpstreamRequest } from '../../interfaces/provider-protocol.ts';

const errorAnswer = z.looseObject({
  error: z.looseObject({
    message: z.string().min(1),
    code: z.unknown().optional(),
    param: z.unknown().optional(),
  }),
});

const NOT_FOUND = 404;
const MAX_MESSAGE_LENGTH = 500;
/** OpenAI's code for a response that it no longer stores, with any status. */
const NO_PREVIOUS = 'previous_response_not_found';

type ErrorFor = NonNullable<UpstreamRequest['errorFor']>;

/**
 * Names the caller's id in errors about it. Other missing objects may be stored at another provider: a
 * conversation, or items of `input`, also those that the caller sent with their ids.
 * @param previousId undefined: the request continues no response
 * @param goesOn true if the request says that it refers to something stored
 */
export function readMissingObjectError(previousId: string | undefined, goesOn: boolean): ErrorFor {
  return ({ bodyText, redact, status }) => {
    const error = errorIn(bodyText);
    if (error === undefined) return undefined;
    if (error.code === NO_PREVIOUS && previousId !== undefined) return previousResponseNotFound(previousId);
    // An unknown model is a fault of the catalog.
    if (status !== NOT_FOUND || error.code === 'model_not_found') return undefined;
    if (!goesOn && error.param !== 'input') return undefined;
    const cause = new Error(`the provider answered ${status}`);
    return notKeptByProvider(redact(error.message).slice(0, MAX_MESSAGE_LENGTH), cause);
  };
}

/** Reads errors of requests for one response. @param id the caller's */
export function readStoredResponseError(id: string): ErrorFor {
  return ({ bodyText, status }): GatewayError | undefined =>
    status === NOT_FOUND && errorIn(bodyText) !== undefined
      ? responseNotFound(id, new Error(`the provider answered ${status}`))
      : undefined;
}

/** @returns undefined for errors in another form, such as a page of a proxy */
function errorIn(bodyText: string): z.infer<typeof errorAnswer>['error'] | undefined {
  try {
    return errorAnswer.safeParse(JSON.parse(bodyText)).data?.error;
  } catch {
    return undefined;
  }
}
