import { createHmac } from 'node:crypto';

/** It protects nothing. It is the same in every process, so that a conversation can go on after a restart. */
const KEY = 'simulated signature';

/** Signs what a client gets to keep, so that a change is noticed when it comes back. */
export function signText(text: string): string {
  return createHmac('sha512', KEY).update(text).digest('base64');
}
