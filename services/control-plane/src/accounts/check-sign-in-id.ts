import { ControlPlaneError } from '../errors/control-plane-error.ts';

/** @throws ControlPlaneError invalid_argument */
export function checkSignInId(signInId: string): string {
  if (signInId !== '' && signInId.length <= 200) return signInId;
  throw new ControlPlaneError('invalid_argument', 'a sign-in needs an id of at most 200 characters');
}
