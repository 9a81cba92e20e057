import { ControlPlaneError } from '../errors/control-plane-error.ts';

const MAX_LENGTH = 200;

/** @throws ControlPlaneError invalid_argument */
export function checkKeyName(text: string): string {
  const name = text.trim();
  if (name.length >= 1 && name.length <= MAX_LENGTH) return name;
  throw new ControlPlaneError('invalid_argument', `a key needs a name of 1 to ${MAX_LENGTH} characters`);
}
