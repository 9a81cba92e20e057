import { createHash } from 'node:crypto';
import { canonicalJson } from '@model-gateway/shared/canonical-json';

/** Returns the ETag of a resource: the same for the same members, in any order, in every process. */
export function etagOf(resource: unknown): string {
  const hash = createHash('sha256').update(canonicalJson(resource)).digest();
  return `"${hash.subarray(0, 16).toString('base64url')}"`;
}

/** Compares an If-Match header with an ETag, strongly (RFC 9110, section 13.1.1). */
export function matchesEtag(header: string, etag: string): boolean {
  return header.split(',').some((entry) => entry.trim() === '*' || entry.trim() === etag);
}
