import { invalidArgument } from '../errors/control-plane-error.ts';

const MAX_LENGTH = 200;

/** @throws ControlPlaneError invalid_argument */
export function checkKeyName(text: string): string {
  const name = text.trim();
  if (name.length >= 1 && name.length <= MAX_LENGTH) return name;
  throw invalidArgument(`a key needs a name of 1 to ${MAX_LENGTH} characters`);
}
