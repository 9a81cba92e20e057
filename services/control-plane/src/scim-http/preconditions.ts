import { ScimError } from '../scim/scim-error.ts';
import { etagOf } from '../scim/scim-resources.ts';
import type { Precondition } from '../scim/users/provision-user.ts';

/** Returns the check of If-Match; weak and strong ETags count alike. @throws ScimError 412 */
export function ifMatchCheck(ifMatch: string | undefined): Precondition {
  return (current) => {
    if (ifMatch === undefined || isNamed(ifMatch, current)) return;
    throw new ScimError(412, 'the resource has changed: read it again, and repeat the change');
  };
}

/** Returns true if If-None-Match names the current version, so that the response is 304. */
export function isUnchanged(ifNoneMatch: string | undefined, current: { version: number }): boolean {
  return ifNoneMatch !== undefined && isNamed(ifNoneMatch, current);
}

function isNamed(header: string, current: { version: number }): boolean {
  const opaque = etagOf(current).slice(2);
  return header.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === opaque);
}
