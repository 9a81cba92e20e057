import { invalidArgument } from '../errors/control-plane-error.ts';

/** @throws ControlPlaneError invalid_argument */
export function checkSignInId(signInId: string): string {
  if (signInId !== '' && signInId.length <= 200) return signInId;
  throw invalidArgument('a sign-in needs an id of at most 200 characters');
}
