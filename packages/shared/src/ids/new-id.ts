import { randomBase62 } from '../keys/base62.ts';

/** Prefixes of public ids. Request ids come from newRequestId. */
export type IdPrefix =
  | 'acct'
  | 'key'
  | 'team'
  | 'seat'
  | 'inv'
  | 'pool'
  | 'pl'
  | 'mem'
  | 'adm'
  | 'scim'
  | 'usr'
  | 'grp'
  | 'aud'
  | 'evt'
  | 'wh'
  | 'ver'
  | 'msg'
  | 'toolu'
  | 'ig'
  | 'resp'
  | 'rs'
  | 'fc'
  | 'ctc'
  | 'call';

/** `<prefix>_` + 24 random base62 characters (142 bits). */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${randomBase62(24)}`;
}
