import { Badge } from '@mantine/core';
import type { Team } from '../../../../wire/teams.ts';

export function RoleBadge({ role }: { role: Team['role'] }) {
  return role === 'owner' ? <Badge>Owner</Badge> : <Badge color="gray">Member</Badge>;
}
