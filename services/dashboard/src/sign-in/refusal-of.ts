import { z } from 'zod';
import { signInsUncheckable } from '../errors/availability-errors.ts';
import type { DashboardError } from '../errors/dashboard-error.ts';
import { invalidRequest } from '../errors/request-errors.ts';
import {
  noPassword,
  noSignInRoute,
  signedOut,
  signInDenied,
  triedTooFast,
  wrongCredentials,
  wrongCurrentPassword,
} from '../errors/sign-in-errors.ts';

const libraryError = z.object({ code: z.string().optional(), message: z.string().optional() });

/** An answer of the sign-in library that is no success, as an error of ours. */
export async function refusalOf(answer: Response): Promise<DashboardError> {
  const { code = '', message } = libraryError.catch({}).parse(await answer.json().catch(() => ({})));
  const cause = new Error(`sign-in library: ${answer.status} ${code}`);
  if (answer.status === 429) return triedTooFast(Number(answer.headers.get('x-retry-after') ?? 1), cause);
  switch (code) {
    case 'INVALID_EMAIL_OR_PASSWORD':
      return wrongCredentials(cause);
    case 'INVALID_PASSWORD':
      return wrongCurrentPassword(cause);
    case 'CREDENTIAL_ACCOUNT_NOT_FOUND':
      return noPassword(cause);
  }
  if (answer.status === 401) return signedOut(cause);
  if (answer.status === 403) return signInDenied(cause);
  if (answer.status === 404) return noSignInRoute(cause);
  // What fails in the library is the database.
  return answer.status < 500 ? invalidRequest(message, cause) : signInsUncheckable(cause);
}
