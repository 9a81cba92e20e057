import { type ObserveContext, requestOrigin } from '../http/observe-request.ts';
import type { SignInChange, UserChange } from '../sign-in/sign-in-change-store.ts';
import type { HolderExchange } from './api-route.ts';

/** Describes a change of a sign-in by its user, for the audit log. */
export function userChange(
  context: Pick<ObserveContext, 'trustProxy'>,
  { req, res, session: { user } }: Pick<HolderExchange, 'req' | 'res' | 'session'>,
  action: string,
  object?: SignInChange['object'],
): UserChange {
  return {
    action,
    email: user.email,
    signInId: user.id,
    ...(object !== undefined && { object }),
    ...requestOrigin(context, req, res),
  };
}
