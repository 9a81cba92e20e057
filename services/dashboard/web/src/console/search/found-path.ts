import type { SearchResult } from '../../../../wire/management.ts';
import { consolePaths } from '../../console-paths.ts';

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
      return consolePaths.team(id);
    case 'seat':
      return consolePaths.seat(id);
    case 'key':
      return consolePaths.key(id);
    case 'end_user':
      return consolePaths.endUser(account.id, id);
    case 'request':
      return consolePaths.request(id);
    case 'account':
    case 'member':
      return consolePaths.account(account.id);
  }
}
