import { describe, it } from 'vitest';
import { killWhileUsersChange } from './kill-while-users-change.ts';

describe('a control plane that is killed while users are deactivated and reactivated', () => {
  it('leaves each user, its keys and its audit events consistent', () => killWhileUsersChange(8));
});
