import type { SearchResult } from '../../../../wire/management.ts';

/** Names of the kinds of objects. */
export const KIND_NAMES: Record<SearchResult['kind'], string> = {
  account: 'Account',
  team: 'Team',
  seat: 'Seat',
  key: 'Key',
  end_user: 'End user',
  member: 'Member',
  request: 'Request',
};

/** Returns the path of the page that shows a found object. */
export function foundPath({ account, id, kind }: SearchResult): string {
  switch (kind) {
    case 'team':
      return `/operate/teams/${id}`;
    case 'seat':
      return `/operate/seats/${id}`;
    case 'key':
      return `/operate/keys/${id}`;
    case 'end_user':
      return endUserPath(account.id, id);
    case 'request':
      return `/operate/requests/${encodeURIComponent(id)}`;
    case 'account':
    case 'member':
      return `/operate/accounts/${account.id}`;
  }
}

/** An end user's id may have any characters, so it is no part of the path. */
export function endUserPath(accountId: string, endUser: string): string {
  return `/operate/end-user?${new URLSearchParams({ account_id: accountId, id: endUser })}`;
}
