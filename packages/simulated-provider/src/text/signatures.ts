import { createHmac, timingSafeEqual } from 'node:crypto';

/** Protects nothing. It is the same in every process, so that a conversation can continue after a restart. */
const KEY = 'simulated signature';

/** Signs what a client stores and sends back, so that a change is noticed. */
export function signText(text: string): string {
  return createHmac('sha512', KEY).update(text).digest('base64');
}

export function isSameSecret(given: string, wanted: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(wanted)];
  return left.length === right.length && timingSafeEqual(left, right);
}

export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}
